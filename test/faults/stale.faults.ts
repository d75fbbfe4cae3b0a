import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { pathOf } from '../../common/kube/client/resources.ts'
import { experimentId } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS, forkOf, imagesOf, type Place, usesProduct } from '../integration/product.ts'
import type { ApiCall } from './api-call.ts'
import { CONVERGED_MS, creations, historyOf, isSound, recovers } from './oracles.ts'
import { aShop, usesProxied } from './proxied.ts'
import { between, eventOf, type Freeze, freeze, type Match } from './rules.ts'

/** How long the cache of the controller is late. */
const LATE_MS = 15_000
const TOUCHES = 20

const EXPERIMENTS: Match = { resource: EXPERIMENT_DEPLOYMENT.plural }
/** The watch of forks asks by label, that of sources does not. */
const isOfForks = ({ query }: ApiCall) => query.has('labelSelector')

describe('the controller sees the past, on the real control plane', function () {
  this.timeout(6 * DEADLINE_MS)
  usesProduct()
  const proxied = usesProxied()
  const ends: (() => void)[] = []
  const frozen: Freeze[] = []
  afterEach('no fault is left', () => {
    for (const end of ends.splice(0)) end()
    for (const { release } of frozen.splice(0)) release()
  })

  const frozenUntilReleased = (...of: Parameters<typeof freeze>): Freeze => {
    const frost = freeze(...of)
    ends.push(proxied().rules.add(frost.rule))
    frozen.push(frost)
    const release = () => {
      for (const end of ends.splice(0)) end()
      frost.release()
    }
    return { ...frost, release }
  }

  /** The names of the forks in `place`. */
  const forksIn = async ({ api, path }: Place) =>
    (await api.list(path('deployments')))
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.includes('-experiment-'))

  async function isRecreated(place: Place, cascade: 'background' | 'orphan'): Promise<void> {
    const { code, text } = await place.kubectl(['delete', 'expd', 'canary', `--cascade=${cascade}`])
    expect(code, text).to.equal(0)
    await place.experiment('canary', { source: 'cart' })
  }

  it('F7: recreated under its name while the watch is frozen: the old fork goes, and the new experiment has its own', async () => {
    const place = await aShop()
    await place.experiment('canary', { source: 'cart' })
    const before = await place.reaches('canary', 'Available')
    const { release, holds } = frozenUntilReleased(EXPERIMENTS)
    await isRecreated(place, 'background')
    await holds
    await pause(LATE_MS)
    release()
    await recovers(place, { canary: 'Available' })
    const after = await place.experimentAt('canary')
    expect(await forksIn(place)).to.deep.equal([forkOf(after)])
    expect(forkOf(after)).to.contain(experimentId(after.metadata.uid)).and.not.to.equal(forkOf(before))
  })

  it('F7: recreated under its name, and told as an update with another uid', async () => {
    const place = await aShop()
    await place.experiment('canary', { source: 'cart' })
    await place.reaches('canary', 'Available')
    const key = `${place.namespace}/canary`
    const seen: string[] = []
    const onLine = (_: ApiCall, line: string) => {
      const event = eventOf(line)
      if (event.key !== key) return undefined
      seen.push(event.type)
      return event.type === 'DELETED' ? [] : [line.replace('{"type":"ADDED"', '{"type":"MODIFIED"')]
    }
    ends.push(proxied().rules.add({ of: { ...EXPERIMENTS, isWatch: true }, onLine }))
    await isRecreated(place, 'background')
    await recovers(place, { canary: 'Available' })
    expect(seen).to.include('DELETED').and.to.include('ADDED')
    expect(await forksIn(place)).to.deep.equal([forkOf(await place.experimentAt('canary'))])
  })

  it('F7: orphaned and recreated while the watch is frozen: the old fork is not owned again', async () => {
    const place = await aShop()
    await place.experiment('canary', { source: 'cart' })
    const before = await place.reaches('canary', 'Available')
    const { release, holds } = frozenUntilReleased(EXPERIMENTS)
    await isRecreated(place, 'orphan')
    await holds
    await pause(LATE_MS)
    release()
    await recovers(place, { canary: 'Available' })
    const after = await place.experimentAt('canary')
    expect(await forksIn(place)).to.have.members([forkOf(before), forkOf(after)])
    expect((await place.deployment(forkOf(before))).metadata.ownerReferences).to.equal(undefined)
  })

  it('F8: restarted onto an old list, in which the earlier namesake is being deleted: nothing of the new one is deleted', async () => {
    const [place, shop] = [await aShop(), await aShop()]
    const policies = pathOf(EXPERIMENT_POLICY, {})
    const policy = `shared-${shop.namespace}`
    await place.api.create(policies, {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: policy },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': shop.namespace } },
        allowSourcesFrom: [place.namespace],
      },
    })
    const elsewhere = () => place.experiment('elsewhere', { source: 'cart', of: shop.namespace })
    const wanted = { canary: 'Available', elsewhere: 'Available' }
    const names = Object.keys(wanted)
    const held = (finalizers: readonly string[]) =>
      Promise.all(names.map((name) => place.api.patch(place.path('experiments', name), { metadata: { finalizers } })))
    try {
      await eventually('consent to be seen', DEADLINE_MS, elsewhere)
      await place.experiment('canary', { source: 'cart' })
      for (const name of names) await place.reaches(name, 'Available')
      await held(['example.com/hold'])
      for (const name of names) await place.api.delete(place.path('experiments', name))
      const old = JSON.stringify(await place.api.get(pathOf(EXPERIMENT_DEPLOYMENT, {})))
      await held([])
      await eventually('the forks to be gone', DEADLINE_MS, async () =>
        expect([...(await forksIn(place)), ...(await forksIn(shop))]).to.deep.equal([]),
      )
      await elsewhere()
      await place.experiment('canary', { source: 'cart' })
      for (const name of names) await place.reaches(name, 'Available')
      const forks = async () =>
        [...(await place.api.list(place.path('deployments'))), ...(await shop.api.list(shop.path('deployments')))].map(
          ({ metadata }) => metadata.uid,
        )
      const uids = await forks()

      const { release, holds } = frozenUntilReleased(EXPERIMENTS)
      const headers = { 'content-type': 'application/json' }
      ends.push(
        proxied().rules.add({
          of: { ...EXPERIMENTS, method: 'GET', isWatch: false, name: '' },
          when: between(1, 1),
          onCall: () => ({ status: 200, headers, body: Buffer.from(old) }),
        }),
      )
      await proxied().restart()
      await holds
      await pause(LATE_MS)
      expect(await forks()).to.deep.equal(uids)
      release()
      await recovers(place, wanted)
      await isSound(shop.namespace)
      expect(await forks()).to.deep.equal(uids)
    } finally {
      await place.api.delete(`${policies}/${policy}`)
    }
  })

  it('F9: its fork is not in the cache for a while, and the experiment is touched 20 times: one fork, and no storm', async () => {
    const place = await aShop()
    const { release, holds } = frozenUntilReleased({ resource: 'deployments' }, isOfForks)
    await place.experiment('canary', { source: 'cart' })
    await holds
    for (let count = 1; count <= TOUCHES; count += 1) {
      await place.api.patch(place.path('experiments', 'canary'), { spec: { replicas: 1 + (count % 3) } })
      await pause(LATE_MS / TOUCHES)
    }
    const writes = async () =>
      (await historyOf(place.namespace)).filter(
        ({ verb, user, objectRef }) =>
          verb === 'patch' && user.username.endsWith(':experiment-controller') && objectRef?.resource === 'deployments',
      )
    expect(await writes()).to.have.length(1)
    release()
    await recovers(place, { canary: 'Available' })
    expect(creations(await historyOf(place.namespace))).to.have.length(1)
    expect((await writes()).length).to.be.at.most(3)
    const fork = await place.deployment(forkOf(await place.experimentAt('canary')))
    expect(at(fork.spec, 'replicas')).to.equal(1 + (TOUCHES % 3))
  })

  it('F10: events are lost, of a source that goes from A to B to A and of a fork that is replaced: the present state counts', async () => {
    const place = await aShop()
    await place.experiment('canary', { source: 'cart' })
    await place.experiment('replaced', { source: 'cart' })
    const before = await place.reaches('canary', 'Available')
    const name = forkOf(await place.reaches('replaced', 'Available'))
    const { api, path } = place
    const image = (tag: string) =>
      api.patch(
        path('deployments', 'cart'),
        { spec: { template: { spec: { containers: [{ name: 'cart', image: tag }] } } } },
        'strategic',
      )

    const key = `${place.namespace}/cart`
    const isMine = (line: string) => [key, `${place.namespace}/${name}`].includes(eventOf(line).key)
    let lost = 0
    ends.push(
      proxied().rules.add({
        of: { resource: 'deployments', isWatch: true },
        onLine: (_, line) => {
          if (!isMine(line)) return undefined
          lost += 1
          return []
        },
      }),
    )
    await image('registry.example/cart:2')
    await image('registry.example/cart:1')
    const copy = await place.deployment(name)
    await api.delete(path('deployments', name), { propagationPolicy: 'Background' })
    const {
      resourceVersion: _,
      uid: __,
      creationTimestamp: ___,
      generation: ____,
      managedFields: _____,
      ...metadata
    } = copy.metadata
    const { metadata: recreated } = await api.create(path('deployments'), { metadata, spec: copy.spec })
    await eventually('the new fork to be ready, so that all its events are lost', DEADLINE_MS, async () =>
      expect(at((await place.deployment(name)).status, 'availableReplicas')).to.equal(1),
    )
    await eventually('the events to be lost', DEADLINE_MS, () => expect(lost).to.be.greaterThan(3))
    for (const end of ends.splice(0)) end()

    await image('registry.example/cart:3')
    await recovers(place, { canary: 'Available', replaced: 'Available' }, 2 * CONVERGED_MS)
    const [canary, replaced] = [await place.experimentAt('canary'), await place.experimentAt('replaced')]
    expect(forkOf(canary)).to.equal(forkOf(before))
    for (const each of [canary, replaced])
      expect(imagesOf(await place.deployment(forkOf(each)))).to.deep.equal(['registry.example/cart:3'])
    expect(replaced.status?.experimentResourceRef?.uid).to.equal(recreated.uid)
  })
})
