import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { experimentId } from '../../common/workload/identity.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS, forkOf, imagesOf, type Place } from '../integration/product.ts'
import { type ApiCall, asksForForks } from './api-call.ts'
import { policyName } from './crash/oracles.ts'
import { CONVERGED_MS, converges, creations, historyOf, isSound, recovers } from './oracles.ts'
import { between, eventOf, type Match } from './rules.ts'
import { inScene, type Scene } from './scene.ts'
import { usesProductAlone } from './scoped.ts'
import { sideBySide } from './side-by-side.ts'

/** How long the cache of the controller is late. */
const LATE_MS = 15_000
/** How long a fork is not in the cache, while its experiment is touched. */
const UNSEEN_MS = 30_000
const TOUCHES = 20

const EXPERIMENTS: Match = { resource: EXPERIMENT_DEPLOYMENT.plural }

/** The names of the forks in `place`. */
const forksIn = async ({ api, path }: Place) =>
  (await api.list(path('deployments')))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.includes('-experiment-'))

/** How often the fork of that name was created. A collected one may have been created again. */
const timesCreated = async ({ namespace }: Place, fork: string): Promise<number> =>
  creations(await historyOf(namespace)).filter(({ objectRef }) => objectRef?.name === fork).length

/** The applies of forks so far, or of one. */
const appliesIn = async ({ namespace }: Place, fork?: string) =>
  (await historyOf(namespace)).filter(
    ({ verb, user, objectRef }) =>
      verb === 'patch' &&
      user.username.endsWith(':experiment-controller') &&
      objectRef?.resource === 'deployments' &&
      (fork === undefined || objectRef.name === fork),
  )

async function isRecreated(place: Place, cascade: 'background' | 'orphan'): Promise<void> {
  const { code, text } = await place.kubectl(['delete', 'expd', 'canary', `--cascade=${cascade}`])
  expect(code, text).to.equal(0)
  await place.experiment('canary', { source: 'cart' })
}

async function frozen({ place, faults }: Scene): Promise<void> {
  await place.experiment('canary', { source: 'cart' })
  const before = await place.reaches('canary', 'Available')
  const { release, holds } = faults.freeze(EXPERIMENTS)
  await isRecreated(place, 'background')
  await holds
  await pause(LATE_MS)
  release()
  await recovers(place, { canary: 'Available' })
  const after = await place.experimentAt('canary')
  expect(await forksIn(place)).to.deep.equal([forkOf(after)])
  expect(forkOf(after)).to.contain(experimentId(after.metadata.uid)).and.not.to.equal(forkOf(before))
  expect(await timesCreated(place, forkOf(before)), 'the old fork: once before the deletion').to.be.within(1, 2)
  expect(await timesCreated(place, forkOf(after)), 'the new fork').to.equal(1)
}

async function updated({ place, faults }: Scene): Promise<void> {
  await place.experiment('canary', { source: 'cart' })
  const before = await place.reaches('canary', 'Available')
  const key = `${place.namespace}/canary`
  const seen: string[] = []
  const onLine = (_: ApiCall, line: string) => {
    const event = eventOf(line)
    if (event.key !== key) return undefined
    seen.push(event.type)
    return event.type === 'DELETED' ? [] : [line.replace('{"type":"ADDED"', '{"type":"MODIFIED"')]
  }
  faults.add({ of: { ...EXPERIMENTS, isWatch: true }, onLine })
  await isRecreated(place, 'background')
  await recovers(place, { canary: 'Available' })
  expect(seen).to.include('DELETED').and.to.include('ADDED')
  const fork = forkOf(await place.experimentAt('canary'))
  expect(await forksIn(place)).to.deep.equal([fork])
  expect(await timesCreated(place, forkOf(before)), 'the old fork: once before the deletion').to.be.within(1, 2)
  expect(await timesCreated(place, fork), 'the new fork').to.equal(1)
}

async function orphaned({ place, faults }: Scene): Promise<void> {
  await place.experiment('canary', { source: 'cart' })
  const before = await place.reaches('canary', 'Available')
  const { release, holds } = faults.freeze(EXPERIMENTS)
  await isRecreated(place, 'orphan')
  await holds
  await pause(LATE_MS)
  release()
  await recovers(place, { canary: 'Available' })
  const after = await place.experimentAt('canary')
  expect(await forksIn(place)).to.have.members([forkOf(before), forkOf(after)])
  expect((await place.deployment(forkOf(before))).metadata.ownerReferences).to.equal(undefined)
  for (const each of [before, after]) expect(await timesCreated(place, forkOf(each)), forkOf(each)).to.equal(1)
}

/** Lets experiments in `place` fork sources in `shop`. */
async function consented(place: Place, shop: Place): Promise<void> {
  const { apiVersion, kind } = EXPERIMENT_POLICY
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': shop.namespace } }
  const spec = { namespaceSelector, allowSourcesFrom: [place.namespace] }
  const metadata = { name: policyName(place.namespace) }
  await place.api.create(resourcePath(EXPERIMENT_POLICY), { apiVersion, kind, metadata, spec })
}

async function restarted({ place, shop, faults }: Scene): Promise<void> {
  const experiment = place.path('experiments', 'canary')
  const isApart = shop.namespace !== place.namespace
  const create = () => place.experiment('canary', { source: 'cart', ...(isApart ? { of: shop.namespace } : {}) })
  const wanted = { canary: 'Available' }
  const held = (finalizers: readonly string[]) => place.api.patch(experiment, { metadata: { finalizers } })
  if (isApart) await consented(place, shop)
  await eventually('consent to be seen', DEADLINE_MS, create)
  await place.reaches('canary', 'Available')
  await held(['example.com/hold'])
  await place.api.delete(experiment)
  const old = JSON.stringify(await place.api.get(place.path('experiments')))
  await held([])
  await eventually('the fork to be gone', DEADLINE_MS, async () => expect(await forksIn(shop)).to.deep.equal([]))
  await create()
  await place.reaches('canary', 'Available')
  const workloads = async () => (await shop.api.list(shop.path('deployments'))).map(({ metadata }) => metadata.uid)
  const uids = await workloads()

  const { release, holds } = faults.freeze(EXPERIMENTS)
  const headers = { 'content-type': 'application/json' }
  faults.add({
    of: { ...EXPERIMENTS, method: 'GET', isWatch: false, name: '' },
    when: between(1, 1),
    onCall: () => ({ status: 200, headers, body: Buffer.from(old) }),
  })
  await faults.restart()
  await holds
  await pause(LATE_MS)
  expect(await workloads()).to.deep.equal(uids)
  release()
  await recovers(place, wanted)
  await isSound(shop.namespace)
  expect(await workloads()).to.deep.equal(uids)
}

async function touched({ place, faults }: Scene): Promise<void> {
  const { release, holds } = faults.freeze({ resource: 'deployments' }, asksForForks)
  await place.experiment('canary', { source: 'cart' })
  await holds
  for (let count = 1; count <= TOUCHES; count += 1) {
    await place.api.patch(place.path('experiments', 'canary'), { spec: { replicas: 1 + (count % 3) } })
    await pause(UNSEEN_MS / TOUCHES)
  }
  expect(await appliesIn(place)).to.have.length(1)
  release()
  await recovers(place, { canary: 'Available' })
  expect(creations(await historyOf(place.namespace))).to.have.length(1)
  expect((await appliesIn(place)).length).to.be.at.most(3)
  const fork = await place.deployment(forkOf(await place.experimentAt('canary')))
  expect(at(fork.spec, 'replicas')).to.equal(1 + (TOUCHES % 3))
}

async function lossy({ place, faults }: Scene): Promise<void> {
  await place.experiment('canary', { source: 'cart' })
  await place.experiment('replaced', { source: 'cart' })
  const before = await place.reaches('canary', 'Available')
  const name = forkOf(await place.reaches('replaced', 'Available'))
  const wanted = { canary: 'Available', replaced: 'Available' }
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
  faults.add({
    of: { resource: 'deployments', isWatch: true },
    onLine: (_, line) => {
      if (!isMine(line)) return undefined
      lost += 1
      return []
    },
  })
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
  faults.end()

  // This wakes both, and changes no derivation: the present state is what the forks already have.
  const applied = (await appliesIn(place, forkOf(before))).length
  for (const each of Object.keys(wanted)) await api.patch(path('experiments', each), { spec: { ttlSeconds: 86_400 } })
  await converges(place, wanted)
  expect(imagesOf(await place.deployment(forkOf(before)))).to.deep.equal(['registry.example/cart:1'])
  expect(await appliesIn(place, forkOf(before))).to.have.length(applied)
  const kept = await place.deployment(name)
  expect(imagesOf(kept)).to.deep.equal(['registry.example/cart:1'])
  const { uid, ownerReferences, labels, annotations } = recreated
  expect(kept.metadata).to.deep.include({ uid, ownerReferences, labels, annotations })

  await image('registry.example/cart:3')
  await recovers(place, wanted, 2 * CONVERGED_MS)
  const [canary, replaced] = [await place.experimentAt('canary'), await place.experimentAt('replaced')]
  expect(forkOf(canary)).to.equal(forkOf(before))
  for (const each of [canary, replaced])
    expect(imagesOf(await place.deployment(forkOf(each)))).to.deep.equal(['registry.example/cart:3'])
  expect(replaced.status?.experimentResourceRef?.uid).to.equal(recreated.uid)
}

describe('the controller sees the past, on the real control plane', function () {
  this.timeout(6 * DEADLINE_MS)
  usesProductAlone()

  sideBySide({
    'F7, R1: recreated under its name while the watch is frozen: the old fork is created at most once more, and goes':
      () => inScene(frozen),
    'F7, R1: recreated under its name, and told as an update with another uid': () => inScene(updated),
    'F7: orphaned and recreated while the watch is frozen: the old fork is not owned again': () => inScene(orphaned),
    'F8: restarted onto an old list, in which the earlier namesake is being deleted: nothing of the new one is deleted':
      () => inScene(restarted),
    'F8: restarted onto an old list, and the fork is in another namespace: it is not deleted': () =>
      inScene(restarted, { isApart: true }),
    'F9: its fork is not in the cache for 30 s, and the experiment is touched 20 times: one fork, and no storm': () =>
      inScene(touched),
    'F10: events are lost, of a source that goes from A to B to A and of a fork that is replaced: the present state counts':
      () => inScene(lossy),
  })
})
