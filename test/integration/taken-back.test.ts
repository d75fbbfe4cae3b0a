import { expect } from 'chai'
import { DERIVED_HASH, EXPERIMENT_ID, EXPERIMENT_POLICY, OWNER_NAMESPACE, OWNER_UID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { isApplied } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aNamespace } from './fixture.ts'
import { aSource, DEADLINE_MS, forkOf, installation, type Place, placeIn, usesProduct } from './product.ts'
import { comesToRest } from './quiet.ts'

/** What somebody changes in the metadata of a fork. */
type Loss = JsonObject | ((fork: KubeObject) => Promise<JsonObject>)

/** What somebody removes from a fork, by a name for the experiment. */
const LOSSES: Readonly<Record<string, JsonObject>> = {
  'managed-fields': { managedFields: [{}] },
  label: { labels: { [EXPERIMENT_ID]: null } },
  'owner-reference': { ownerReferences: null },
  'owner-labels': { labels: { [OWNER_NAMESPACE]: null, [OWNER_UID]: null } },
  everything: { managedFields: [{}], labels: null, annotations: null, ownerReferences: null },
}

describe('R2: a fork that has lost what marks it as ours, on the real control plane', () => {
  const place = usesProduct()
  let store: Place
  before('there is a namespace that shares its sources', async () => {
    store = await placeIn(await aNamespace())
    await place().api.create(resourcePath(EXPERIMENT_POLICY), {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: `shared-${store.namespace}` },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': store.namespace } },
        allowSourcesFrom: [place().namespace],
      },
    })
    for (const where of [place(), store]) await aSource(where, 'cart')
  })
  after('no policy is left for other suites', () =>
    place().api.delete(resourcePath(EXPERIMENT_POLICY, { name: `shared-${store.namespace}` })),
  )

  const marks = ({ metadata }: KubeObject) => ({
    isApplied: isApplied({ metadata } as KubeObject),
    isShared: metadata.managedFields?.some(({ manager }) => manager === 'before-first-apply') === true,
    labels: metadata.labels,
    owners: metadata.ownerReferences?.map(({ uid, controller }) => [uid, controller]),
  })

  /** A fork, from which `loss` is removed, and which has its marks again. */
  async function takenBack(name: string, loss: Loss, { isApart }: { readonly isApart: boolean }) {
    const where = isApart ? store : place()
    const overrideSpec = { minReadySeconds: 1 }
    await eventually('consent to be seen', DEADLINE_MS, () =>
      place().experiment(name, { source: 'cart', overrideSpec, ...(isApart ? { of: store.namespace } : {}) }),
    )
    const path = where.path('deployments', forkOf(await place().reaches(name, 'Available')))
    const before = await where.api.get<KubeObject>(path)
    await where.api.patch(path, { metadata: typeof loss === 'function' ? await loss(before) : loss })
    await eventually('the fork to be taken back', DEADLINE_MS, async () => {
      const found = await where.api.get<KubeObject>(path)
      expect(found.metadata.uid).to.equal(before.metadata.uid)
      expect(marks(found)).to.deep.equal(marks(before))
    })
    return { where, path }
  }

  /** Deletes the experiment, and waits until its fork is gone. */
  async function goesWith(experiment: string, { where, path }: Awaited<ReturnType<typeof takenBack>>): Promise<void> {
    await place().reaches(experiment, 'Available')
    await place().api.delete(place().path('experiments', experiment))
    await eventually('the fork to be gone', DEADLINE_MS, async () => {
      const forks = await where.api.list(where.path('deployments'))
      expect(forks.map(({ metadata }) => where.path('deployments', metadata.name))).not.to.include(path)
    })
  }

  for (const isApart of [false, true])
    for (const [name, loss] of Object.entries(LOSSES))
      it(`R2: is taken back${isApart ? ' in another namespace' : ''} without its ${name}, and goes with its experiment`, async () => {
        const experiment = isApart ? `apart-${name}` : name
        await goesWith(experiment, await takenBack(experiment, loss, { isApart }))
      })

  it('A37: loses an owner that somebody has added, and goes with its experiment', async () => {
    const withOther = async ({ metadata }: KubeObject) => {
      const { namespace, api } = place()
      const { uid = '' } = (await api.get(`/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`)).metadata
      const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', uid }
      return { ownerReferences: [...(metadata.ownerReferences ?? []), other] } as unknown as JsonObject
    }
    await goesWith('another-owner', await takenBack('another-owner', withOther, { isApart: false }))
  })

  it('R2: can lose a field of its override again, although somebody had emptied its managed fields', async () => {
    const { where, path } = await takenBack('loses', { managedFields: [{}] }, { isApart: false })
    await place().api.patch(place().path('experiments', 'loses'), { spec: { overrideSpec: { minReadySeconds: null } } })
    await eventually('the field to be gone', DEADLINE_MS, async () =>
      expect(at(await where.api.get(path), 'spec', 'minReadySeconds')).to.equal(undefined),
    )
    await place().reaches('loses', 'Available')
  })

  it('R2: loses a field of its override that went while its managed fields were empty', async () => {
    const overrideSpec = { minReadySeconds: 1, template: { spec: { terminationGracePeriodSeconds: 7 } } }
    await place().experiment('unseen', { source: 'cart', overrideSpec })
    const path = place().path('deployments', forkOf(await place().reaches('unseen', 'Available')))
    const { controller, startController } = await installation()
    await controller().stop('SIGTERM', DEADLINE_MS)
    await place().api.patch(path, { metadata: { managedFields: [{}] } })
    await place().api.patch(place().path('experiments', 'unseen'), {
      spec: { overrideSpec: { minReadySeconds: null } },
    })
    await startController()
    await eventually('the field to be gone', DEADLINE_MS, async () => {
      const fork = await place().api.get<KubeObject>(path)
      expect(at(fork, 'spec', 'minReadySeconds')).to.equal(undefined)
      expect(at(fork, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds')).to.equal(7)
      expect(marks(fork)).to.include({ isApplied: true, isShared: false })
    })
    await place().reaches('unseen', 'Available')
  })

  it('R3, F28: is repaired at the pace of all repairs while somebody keeps changing the hash of its derivation', async () => {
    await place().experiment('fought-over', { source: 'cart' })
    const path = place().path('deployments', forkOf(await place().reaches('fought-over', 'Available')))
    const hashOf = async () => (await place().api.get<KubeObject>(path)).metadata.annotations?.[DERIVED_HASH]
    const hash = await hashOf()
    const start = performance.now()
    let fights = 0
    await eventually(
      'ten seconds to pass',
      DEADLINE_MS,
      async () => {
        if ((await hashOf()) === hash) {
          fights += 1
          await place().api.patch(path, { metadata: { annotations: { [DERIVED_HASH]: 'no' } } })
        }
        if (performance.now() - start < 10_000) throw new Error('not yet')
      },
      { pauseMs: 10 },
    )
    expect(fights).to.be.within(2, 7)
    await place().api.delete(place().path('experiments', 'fought-over'))
  })

  it('R2: is taken back, which is told, and then nothing is written', async () => {
    await takenBack('told', { ownerReferences: null }, { isApart: false })
    await eventually('the Event', DEADLINE_MS, async () => {
      const { text } = await place().kubectl(['describe', 'expd', 'told'])
      expect(text).to.match(/Updating.*restored: another client had modified it/)
    })
    await comesToRest(place().namespace, 3_000)
  })
})
