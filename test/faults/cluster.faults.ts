import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { EXPERIMENT_POLICY, IS_EXPERIMENT } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { condition, DEADLINE_MS, forkOf, installation, type Place, usesProduct } from '../integration/product.ts'
import { converges, historyOf, QUIET_MS, RETRIED_MS, recovers } from './oracles.ts'
import { aShop } from './proxied.ts'
import { oneByOne, sideBySide } from './side-by-side.ts'

const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const FLIPS = 40
/** A denied write is tried again after a minute, and at first when the source gets its pods. */
const [RETRY_MS, DENIED_MS] = [50_000, 120_000]
const HELD_MS = 25_000
/** While nothing happens to what a terminating namespace still holds. A loop sends one a second, and more at first. */
const MOST_REQUESTS = 10

/** What the controller asked about `place`, reads included, without Events, in the order of the answers. */
const ownRequestsIn = async ({ namespace }: Place) =>
  (await historyOf(namespace)).filter(
    ({ user, objectRef }) => user.username.endsWith(':experiment-controller') && objectRef?.resource !== 'events',
  )

/** Those that write. */
const ownWritesIn = async (place: Place) =>
  (await ownRequestsIn(place)).filter(({ verb }) => /patch|create|delete/.test(verb))

const deploymentsIn = async ({ api, path }: Place) =>
  (await api.list(path('deployments'))).map(({ metadata }) => metadata.name)

/** Denies the forks of `place`. Returns a function that allows them again. */
type Denial = (place: Place) => Promise<() => Promise<void>>

/** A policy of the cluster that answers with 403, or with 422. */
const policy =
  (reason: 'Forbidden' | 'Invalid'): Denial =>
  async ({ api, namespace, path }) => {
    const name = `denied-${namespace}`
    await api.create(`${ADMISSION}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
          ],
          objectSelector: { matchLabels: { [IS_EXPERIMENT]: 'true' } },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        },
        validations: [{ expression: 'false', message: 'not on Fridays', reason }],
      },
    })
    const bindings = `${ADMISSION}/validatingadmissionpolicybindings`
    await api.create(bindings, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } })
    const labels = { app: 'probe' }
    const probe = {
      metadata: { name: 'probe', labels: { [IS_EXPERIMENT]: 'true' } },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'one', image: 'x' }] } },
      },
    }
    await eventually('the policy to deny', DEADLINE_MS, async () => {
      const answer = await api.create(`${path('deployments')}?dryRun=All`, probe).then(() => 'created', String)
      expect(answer).to.contain('not on Fridays')
    })
    return async () => {
      await api.delete(`${bindings}/${name}`)
      await api.delete(`${ADMISSION}/validatingadmissionpolicies/${name}`)
    }
  }

/** A quota of Deployments, of which the source takes the last. */
const quota: Denial = async ({ api, path }) => {
  await api.create(path('quotas'), { metadata: { name: 'tight' }, spec: { hard: { 'count/deployments.apps': '1' } } })
  await eventually('the quota to count', DEADLINE_MS, async () =>
    expect(at(await api.get(path('quotas', 'tight')), 'status', 'used')).to.deep.equal({
      'count/deployments.apps': '1',
    }),
  )
  return () => api.delete(path('quotas', 'tight'))
}

async function isDenied(deny: Denial, says: string): Promise<void> {
  const place = await aShop()
  const allow = await deny(place)
  try {
    await place.experiment('canary', { source: 'cart' })
    const refused = await place.reaches('canary', 'ApplyRefused')
    expect(condition(refused, 'Stalled')?.message).to.contain(says)
    const tries = async () =>
      (await ownWritesIn(place))
        .filter(({ objectRef }) => objectRef?.resource === 'deployments')
        .map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp))
    const isTriedAgain = async () => {
      const [before = 0, last = 0] = (await tries()).slice(-2)
      expect(last - before).to.be.at.least(RETRY_MS)
    }
    await eventually('a try a minute after the one before', DENIED_MS, isTriedAgain, { pauseMs: 5_000 })
    expect((await tries()).length).to.be.below(6)
    expect(await deploymentsIn(place)).to.deep.equal(['cart'])
  } finally {
    await allow()
  }
  await recovers(place, { canary: 'Available' }, RETRIED_MS)
}

async function terminates(): Promise<void> {
  const [place, observer] = [await aShop(), await aShop()]
  const { api, namespace } = place
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  for (const name of ['one', 'two']) await place.experiment(name, { source: 'cart' })
  await converges(place, { one: 'Available', two: 'Available' }, DEADLINE_MS)
  await api.create(maps, { metadata: { name: 'held', finalizers: ['example.com/hold'] } })
  await api.patch(place.path('experiments', 'two'), { metadata: { finalizers: ['example.com/hold'] } })
  await api.delete(`/api/v1/namespaces/${namespace}`)
  await eventually('the forks to be gone', DEADLINE_MS, async () =>
    expect(await deploymentsIn(place)).to.deep.equal([]),
  )
  const [writes, requests] = [(await ownWritesIn(place)).length, (await ownRequestsIn(place)).length]
  await pause(HELD_MS)
  expect((await ownWritesIn(place)).length - writes).to.be.at.most(2)
  const later = (await ownRequestsIn(place)).slice(requests).map(({ verb, requestURI }) => `${verb} ${requestURI}`)
  expect(later, later.join()).to.have.length.at.most(MOST_REQUESTS)
  await api.patch(`${maps}/held`, { metadata: { finalizers: [] } })
  await api.patch(place.path('experiments', 'two'), { metadata: { finalizers: [] } })
  await eventually('the namespace to be gone', DEADLINE_MS, async () =>
    expect(await api.get(`/api/v1/namespaces/${namespace}`).then(() => 'there', String)).to.contain('404'),
  )
  await observer.experiment('canary', { source: 'cart' })
  await recovers(observer, { canary: 'Available' })
}

/** Somebody, such as an autoscaler, sets the replicas of the fork every second. */
async function isFlipped(): Promise<void> {
  const place = await aShop()
  await place.experiment('canary', { source: 'cart' })
  const fork = forkOf(await place.reaches('canary', 'Available'))
  for (let count = 0; count < FLIPS; count += 1) {
    await place.api.patch(place.path('deployments', fork), { spec: { replicas: 2 + (count % 2) } })
    await pause(1_000)
  }
  const repairs = (await ownWritesIn(place)).filter(({ objectRef }) => objectRef?.name === fork)
  expect(repairs.length).to.be.within(5, 14)
  await eventually('the fork to be put back', RETRIED_MS, async () =>
    expect(at((await place.deployment(fork)).spec, 'replicas')).to.equal(1),
  )
  await eventually('that it is contested no longer', 3 * RETRIED_MS, () => converges(place, { canary: 'Available' }, 0))
  await recovers(place, { canary: 'Available' })
}

async function isDeleted(cascade: 'background' | 'foreground' | 'orphan'): Promise<void> {
  const place = await aShop()
  const { api, path } = place
  await place.experiment('canary', { source: 'cart' })
  const name = forkOf(await place.reaches('canary', 'Available'))
  const fork = path('deployments', name)
  // what holds the fork shows whether the experiment waits for it
  await api.patch(fork, { metadata: { finalizers: ['example.com/hold'] } })
  await recovers(place, { canary: 'Available' })
  const { code } = await place.kubectl(['delete', 'expd', 'canary', `--cascade=${cascade}`, '--wait=false'])
  expect(code).to.equal(0)
  const experiments = async () => (await api.list(path('experiments'))).length
  if (cascade === 'foreground') {
    await eventually('the fork to be deleted', DEADLINE_MS, async () =>
      expect((await api.get(fork)).metadata.deletionTimestamp).to.be.a('string'),
    )
    expect(await experiments()).to.equal(1)
  } else await eventually('the experiment to be gone', DEADLINE_MS, async () => expect(await experiments()).to.equal(0))
  await eventually('the owner to be gone, or the fork to be deleted', DEADLINE_MS, async () => {
    const { metadata } = await api.get(fork)
    if (cascade === 'orphan') expect(metadata.ownerReferences).to.equal(undefined)
    else expect(metadata.deletionTimestamp).to.be.a('string')
  })
  await api.patch(fork, { metadata: { finalizers: [] } })
  if (cascade === 'orphan') {
    const { metadata } = await api.patch(fork, { spec: { replicas: 3 } })
    await pause(QUIET_MS)
    expect((await api.get(fork)).metadata.generation).to.equal(metadata.generation)
  } else
    await eventually('the fork to be gone', DEADLINE_MS, async () =>
      expect(await deploymentsIn(place)).to.deep.equal(['cart']),
    )
  await recovers(place, {})
}

/** The status of an experiment and its fork in another namespace, while no review is answered. */
async function worksWithoutReviews(): Promise<void> {
  const [place, shop] = [await aShop(), await aShop()]
  const policies = resourcePath(EXPERIMENT_POLICY, {})
  const name = `shared-${shop.namespace}`
  await place.api.create(policies, {
    apiVersion: EXPERIMENT_POLICY.apiVersion,
    kind: EXPERIMENT_POLICY.kind,
    metadata: { name },
    spec: {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': shop.namespace } },
      allowSourcesFrom: [place.namespace],
    },
  })
  const { webhook } = await installation()
  try {
    await eventually('consent to be seen', DEADLINE_MS, () =>
      place.experiment('apart', { source: 'cart', of: shop.namespace }),
    )
    await place.experiment('canary', { source: 'cart' })
    await converges(place, { apart: 'Available', canary: 'Available' }, DEADLINE_MS)
    process.kill(webhook.pid, 'SIGSTOP')
    await shop.api.patch(shop.path('deployments', 'cart'), {
      spec: { template: { metadata: { annotations: { a: 'b' } } } },
    })
    await place.api.delete(place.path('deployments', 'cart'))
    await converges(place, { apart: 'Available', canary: 'SourceNotFound' })
    await place.api.delete(place.path('experiments', 'apart'))
    await eventually('the experiment and its fork to be gone', DEADLINE_MS, async () => {
      expect((await place.api.list(place.path('experiments'))).map(({ metadata }) => metadata.name)).to.deep.equal([
        'canary',
      ])
      expect(await deploymentsIn(shop)).to.deep.equal(['cart'])
    })
  } finally {
    process.kill(webhook.pid, 'SIGCONT')
    await place.api.delete(`${policies}/${name}`)
  }
  await recovers(place, { canary: 'SourceNotFound' })
}

describe('the cluster stands in the way, on the real control plane', function () {
  this.timeout(8 * DEADLINE_MS)
  usesProduct()

  oneByOne('F25: the webhook is down: status, finalizers and deletion work', worksWithoutReviews)

  sideBySide({
    'F26: a fork denied with 403 by a quota is tried each minute, and made when the quota is gone': () =>
      isDenied(quota, 'exceeded quota: tight'),
    'F26: a fork denied with 403 by a policy is tried each minute, and made when the policy is gone': () =>
      isDenied(policy('Forbidden'), 'not on Fridays'),
    'F26: a fork denied with 422 is tried each minute, and made when the policy is gone': () =>
      isDenied(policy('Invalid'), 'not on Fridays'),
    'F27: a namespace is terminating: its experiments are dropped quietly, and hardly anything is read': terminates,
    'F28: somebody scales the fork every second: that is undone ever more rarely': isFlipped,
    'F30: deleted in the background: the fork goes': () => isDeleted('background'),
    'F30: deleted in the foreground: the fork goes first': () => isDeleted('foreground'),
    'F30: orphaned: the fork stays, and is never touched again': () => isDeleted('orphan'),
  })
})
