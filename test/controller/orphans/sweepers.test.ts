import { expect } from 'chai'
import { EXPERIMENT_ID, FIELD_MANAGER, SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { experimentId } from '../../../common/workload/identity.ts'
import { sweepersOf } from '../../../controller/orphans/sweepers.ts'
import { aDeployment, anExperiment, installing } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'
import { stored } from '../../fakes/controller.ts'
import { ObjectStore } from '../../fakes/object-store.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'
import { EXPERIMENT, FORK, START, withoutPods } from '../swept.ts'

const UID = 'gone'
const ID = experimentId(UID)
const SERVICE = '/api/v1/namespaces/stock/services/cart'
const THE_SERVICE = stored({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'cart',
    namespace: 'stock',
    uid: 'service',
    managedFields: [{ manager: FIELD_MANAGER, operation: 'Update', fieldsV1: { 'f:spec': { 'f:selector': {} } } }],
  },
  spec: { selector: { app: 'cart', [EXPERIMENT_ID]: ID } },
})

/** What the caches have. */
interface Cached {
  readonly isExcluded?: boolean
  readonly forks?: readonly KubeObject[]
  readonly others?: readonly KubeObject[]
  /** whether each fork has its experiment; default: yes */
  readonly hasExperiment?: boolean
  /** default: none */
  readonly experiment?: ExperimentDeployment
}

/** The sweepers, over a minute. Returns what they wrote. */
async function sweptFor(
  objects: Readonly<Record<string, KubeObject>>,
  { isExcluded = false, forks = [], others = [], hasExperiment = true, experiment }: Cached = {},
) {
  const server = new ObjectStore({ [SERVICE]: THE_SERVICE, ...objects })
  const timers = new VirtualTime()
  const written: string[] = []
  const sweepers = sweepersOf({
    client: server,
    caches: {
      workloads: [{ kind: deployment, forks: { list: () => forks }, others: { list: () => others, isAbsent: false } }],
    },
    experiment: (key) => (key === 'shop/faster-cart' ? experiment : undefined),
    index: {
      hasFork: () => hasExperiment,
      ofUid: (uid) => new Set(experiment?.metadata.uid === uid ? ['shop/faster-cart'] : []),
    },
    metrics: { sourceLeftSmall: ({ outcome }) => void written.push(outcome) },
    services: () => [['stock', { name: 'cart', selector: { app: 'cart', [EXPERIMENT_ID]: ID } }]],
    isExcluded: () => isExcluded,
    isServed: () => true,
    installed: installing('cutOver', 'promotion'),
    write: async (write) => written.push(`${write.verb} ${write.role}`),
    recorder: { record: () => undefined },
    clock: () => START,
    timers,
    log: diaryLog(),
  })
  sweepers.start()
  await timers.pass(60_000)
  await sweepers.stop()
  return { written, sweepers, server }
}

describe('the sweepers', () => {
  it('N35: read Services, workloads and experiments from the API server, with the right to list them', async () => {
    const { written, server } = await sweptFor({})
    expect(written[0]).to.equal('patch service')
    expect(new Set(server.requests)).to.deep.equal(
      new Set([
        'list /api/v1/namespaces/stock/services',
        'list /apis/apps/v1/namespaces/stock/deployments',
        'list /apis/experimentcontroller.example.com/v1alpha1/experimentdeployments',
      ]),
    )
  })

  const PATH = `/apis/apps/v1/namespaces/stock/deployments/cart-experiment-${ID}`
  const fork = theFork({ experiment: { ...EXPERIMENT, metadata: { ...EXPERIMENT.metadata, uid: UID } } })
  const sweptBeside = async (object: KubeObject) => (await sweptFor({ [PATH]: stored(object) })).written

  it('N35: touch no Service whose fork exists and names its experiment', async () =>
    expect(await sweptBeside(fork)).to.deep.equal([]))

  const imitations: Record<string, KubeObject> = {
    'only has the name of the fork': { ...fork, metadata: { name: fork.metadata.name, namespace: 'stock' }, spec: {} },
    'has all of the fork but its selector': { ...fork, spec: { selector: { matchLabels: { app: 'cart' } } } },
    'has name and selector of the fork, and names no experiment': {
      ...fork,
      metadata: { ...fork.metadata, labels: { [EXPERIMENT_ID]: ID } },
    },
  }
  for (const [sentence, object] of Object.entries(imitations))
    it(`N35: return a Service beside a workload that ${sentence}`, async () =>
      expect((await sweptBeside(object))[0]).to.equal('patch service'))

  it('N35: touch no Service whose experiment exists, in whatever namespace', async () => {
    const experiment = stored(anExperiment({ metadata: { uid: UID } }))
    const path = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments/faster-cart'
    expect((await sweptFor({ [path]: experiment })).written).to.deep.equal([])
  })

  it('N35: touch nothing in a namespace that is excluded', async () =>
    expect((await sweptFor({}, { isExcluded: true })).written).to.deep.equal([]))

  it('N36: count forks that a finalizer of others keeps', async () => {
    const metadata = { ...FORK.metadata, deletionTimestamp: START.toISOString(), finalizers: ['example.com/hers'] }
    const { sweepers } = await sweptFor({}, { forks: [FORK, { ...FORK, metadata }] })
    expect([sweepers.held, sweepers.count, sweepers.services]).to.deep.equal([1, 0, 1])
  })

  describe('beside a source that a canary has made smaller', () => {
    const CART = '/apis/apps/v1/namespaces/stock/deployments/cart'
    const labelled = (uid: string) =>
      aDeployment({ labels: { [SCALED]: `${uid}.5.1` }, spec: { replicas: 1 }, metadata: { namespace: 'stock' } })
    const left = withoutPods(fork)
    const swept = (source: KubeObject, isExcluded = false) =>
      sweptFor(
        {
          [CART]: stored(source),
          [PATH]: stored(left),
          [SERVICE]: { ...THE_SERVICE, spec: { selector: { app: 'cart' } } },
        },
        { isExcluded, forks: [left], others: [source], hasExperiment: false },
      )

    it('N52: give it its pods back, and leave its fork, as the API server has both now', async () => {
      const { written, sweepers, server } = await swept(labelled(UID))
      expect(written).to.include.members(['jsonPatch sourceSize', 'returned'])
      expect(written).to.not.include('delete fork')
      expect(server.requests).to.include(`get ${CART}`)
      expect([sweepers.sources, sweepers.smaller]).to.deep.equal([1, 1])
    })

    it('N52: delete a fork that no source needs', async () => {
      const { written } = await swept(labelled('another'))
      expect(written).to.include('delete fork')
    })

    it('N52: take only the label off a copy, which no experiment names', async () => {
      const experiment = anExperiment({ metadata: { uid: UID }, sourceRef: { kind: 'Deployment', name: 'cart' } })
      const path = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments/faster-cart'
      const objects = { [CART]: stored(labelled(UID)), [path]: stored(experiment) }
      const { written } = await sweptFor(objects, { others: [labelled(UID)], experiment })
      expect(written).to.include.members(['jsonPatch sourceSize', 'kept'])
      expect(written).to.not.include('returned')
    })

    it('N52: write no source in a namespace that is excluded', async () =>
      expect((await swept(labelled(UID), true)).written).to.not.include('jsonPatch sourceSize'))
  })
})
