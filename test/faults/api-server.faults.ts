import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { at, listOr } from '../../common/json/json.ts'
import { RETRY_MS } from '../../controller/runtime/lease.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS, forkOf, type Place, usesProduct } from '../integration/product.ts'
import type { Rival } from '../integration/rivals.ts'
import { type ApiCall, statusAnswer } from './api-call.ts'
import { converges, creations, historyOf, RETRIED_MS, recovers } from './oracles.ts'
import { type Arrived, aShop, usesProxied } from './proxied.ts'
import { among, between, type Rule, sometimes } from './rules.ts'

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six']
const WANTED = Object.fromEntries(NAMES.map((name) => [name, 'Available']))
const RETRY_AFTER_S = 5
/** How long the Lease may be without a renewal. One that was throttled, too, would come later. */
const RENEWED_MS = 2 * RETRY_MS
/**
 * Longer than a pass may run in a live controller, than the waits of the circuit breaker take to reach their cap, and
 * than the time between two refreshes of the schemas. The Lease would be lost after 10 s without answers.
 */
const FAILING_MS = 120_000
/** A little less than a minute, so that two calls a minute apart are not both in it. */
const LAST_MINUTE_MS = 59_000
/** In that time: one every 15 s. */
const MOST_PROBES = 4
/** Five failures are enough for the circuit breaker. */
const PAUSED_MS = 10_000
const DELAY_MS = 4_000
/** Of the calls that fail. */
const SEED = 20_261

const throttled = statusAnswer(429, 'TooManyRequests', 'slow down', { 'retry-after': `${RETRY_AFTER_S}` })
const failures = [
  statusAnswer(500, 'InternalError', 'etcdserver: request timed out'),
  statusAnswer(503, 'ServiceUnavailable', 'apiserver is shutting down'),
]
interface Span {
  readonly call: ApiCall
  readonly fromMs: number
  toMs: number
}

/** Asks every second whether a controller is live. Returns the answers. */
async function livezFor({ livez }: Rival, forMs: number) {
  const answers: Awaited<ReturnType<Rival['livez']>>[] = []
  for (const untilMs = performance.now() + forMs; performance.now() < untilMs; await pause(1_000))
    answers.push(await livez())
  return answers
}

/** The times of calls, without the quick repetitions of the client. */
const apart = (times: readonly number[]): readonly number[] =>
  times.filter((atMs, index) => atMs - (times[index - 1] ?? 0) > 2_000)

const notOfLease = ({ resource }: ApiCall) => resource !== 'leases'
/** A read by which the circuit breaker finds out whether the API server works again. */
const isProbe = ({ query }: ApiCall) => query.get('limit') === '1'
/** Reflectors list and watch the objects of all namespaces, and connect again at a pace of their own. */
const isOfReflector = ({ isWatch, method, resource, namespace, name }: ApiCall) =>
  isWatch || (method === 'GET' && resource !== '' && namespace === '' && name === '')
/** How all objects of a kind are read. */
const readsOf = (plural: string): Readonly<Record<string, (call: ApiCall) => boolean>> => ({
  [`list of ${plural}`]: (call) =>
    call.method === 'GET' && !call.isWatch && call.name === '' && call.resource === plural && !isProbe(call),
  [`watch of ${plural}`]: ({ isWatch, resource }) => isWatch && resource === plural,
})
/** Their waits reach their cap later. */
const isOfSchemas = ({ path }: ApiCall) => path.startsWith('/openapi/')

/** How often each was called, without the quick repetitions of the client. */
function countsOf(calls: readonly Arrived[]): ReadonlyMap<string, number> {
  const byPath = Map.groupBy(calls, ({ method, path }) => `${method} ${path}`)
  return new Map([...byPath].map(([what, of]) => [what, apart(of.map(({ atMs }) => atMs)).length]))
}

describe('the API server fails, on the real control plane', function () {
  this.timeout(6 * DEADLINE_MS)
  usesProduct()
  const proxied = usesProxied()
  const ends: (() => void)[] = []
  const add = (rule: Rule) => void ends.push(proxied().rules.add(rule))
  const healed = () => {
    for (const end of ends.splice(0)) end()
  }
  afterEach('no fault is left, and the controller still leads', async () => {
    healed()
    expect(await proxied().rival.metric('leader')).to.equal(1)
  })

  let failed = 0
  const inTurn = () => {
    failed += 1
    return failures[failed % failures.length]
  }
  const callsSince = (sinceMs: number, of: (call: Arrived) => boolean) =>
    proxied().calls.filter((call) => call.atMs >= sinceMs && of(call))
  const created = async () => {
    const place = await aShop()
    await Promise.all(NAMES.map((name) => place.experiment(name, { source: 'cart' })))
    return place
  }

  it('F14: lists, watches and writes are answered with 429: each waits as it is told, and the Lease is renewed', async () => {
    await recovers(await created(), WANTED)
    const sinceMs = performance.now()
    const place = await aShop()
    const { namespace } = place
    const kinds = {
      ...readsOf('services'),
      ...readsOf(EXPERIMENT_DEPLOYMENT.plural),
      apply: (call: ApiCall) =>
        call.method === 'PATCH' && call.namespace === namespace && call.resource === 'deployments',
      'status write': (call: ApiCall) =>
        call.method === 'PATCH' && call.namespace === namespace && call.subresource === 'status',
    }
    for (const isOf of Object.values(kinds)) add({ of: {}, when: among(isOf, between(1, 2)), onCall: () => throttled })
    await proxied().restart()
    const ledMs = performance.now()
    await place.experiment('canary', { source: 'cart' })
    await converges(place, { canary: 'Available' }, 2 * DEADLINE_MS)
    for (const [kind, isOf] of Object.entries(kinds)) {
      // The fork may be ready before the last watch is tried for the third time.
      const times = await eventually(`three calls to ${kind}`, DEADLINE_MS, () => {
        const found = callsSince(sinceMs, isOf).map(({ atMs }) => atMs)
        expect(found.length).to.be.at.least(3)
        return found
      })
      const [first = 0, second = 0, third = 0] = times
      expect(second - first, kind).to.be.at.least(1_000 * RETRY_AFTER_S - 100)
      expect(third - second, kind).to.be.at.least(1_000 * RETRY_AFTER_S - 100)
    }
    const renewals = callsSince(ledMs, ({ resource, method }) => resource === 'leases' && method === 'PUT')
    const renewedMs = [ledMs, ...renewals.map(({ atMs }) => atMs), performance.now()]
    const gaps = renewedMs.slice(1).map((atMs, index) => atMs - (renewedMs[index] ?? 0))
    expect(Math.max(...gaps), 'the longest time without a renewal').to.be.below(RENEWED_MS)
    healed()
    await recovers(place, { canary: 'Available' })
  })

  it('F15, O6: every call but those for the Lease fails for two minutes: it is live, calls nothing Stalled and sends little', async () => {
    const place = await created()
    add({ of: { resource: 'events' }, onCall: inTurn })
    await place.experiment('early', { source: 'cart' })
    await converges(place, { ...WANTED, early: 'Available' }, DEADLINE_MS)
    const sinceMs = performance.now()
    add({ of: {}, when: notOfLease, onCall: inTurn })
    await place.experiment('late', { source: 'cart' })
    await place.api.delete(place.path('experiments', 'one'))
    for (const name of NAMES.slice(1)) await place.api.patch(place.path('experiments', name), { spec: { replicas: 2 } })
    const answers = await livezFor(proxied().rival, FAILING_MS)
    const lastMinute = callsSince(performance.now() - LAST_MINUTE_MS, notOfLease)
    const calls = callsSince(sinceMs, notOfLease)
    healed()
    expect(answers.filter(({ code }) => code !== 200)).to.deep.equal([])
    const writes = calls.filter(({ isWrite, atMs }) => isWrite && atMs >= sinceMs + PAUSED_MS)
    expect(writes, 'writes while the API server fails, Events included').to.deep.equal([])
    const probes = countsOf(lastMinute.filter(isProbe))
    expect([...probes.values()]).to.have.length(1)
    for (const count of probes.values()) expect(count, 'probes').to.be.within(2, MOST_PROBES)
    const others = lastMinute.filter((call) => !isProbe(call) && !isOfReflector(call) && !isOfSchemas(call))
    expect([...countsOf(others)].filter(([, count]) => count > 1)).to.deep.equal([])
    // the first one fails within a minute, the others 5, 15, 35 and 75 s later
    const schemas = apart(calls.filter(({ path }) => path === '/openapi/v3').map(({ atMs }) => atMs))
    expect(schemas.length).to.be.within(2, 5)
    const gaps = schemas.slice(1).map((atMs, index) => atMs - (schemas[index] ?? 0))
    for (const [index, gap] of gaps.entries()) expect(gap).to.be.at.least(1_000 * 5 * 2 ** index - 100)
    await eventually('the Events about an earlier fork', DEADLINE_MS, async () => {
      const { text } = await place.kubectl(['get', 'events', '--field-selector=involvedObject.name=early', '-oname'])
      expect(text).to.contain('event/early')
    })
    const { one: _, ...rest } = WANTED
    await recovers(place, { ...rest, early: 'Available', late: 'Available' })
    const stalled = (await historyOf(place.namespace)).filter(({ responseObject }) =>
      listOr(at(responseObject, 'status', 'conditions')).some((each) => at(each, 'type') === 'Stalled'),
    )
    expect(stalled).to.deep.equal([])
  })

  it(`F15: half of the calls fail, by the seed ${SEED}: everything is as wanted soon after`, async () => {
    const before = failed
    add({
      of: {},
      when: among((call) => notOfLease(call) && !call.isWatch, sometimes(50, SEED)),
      onCall: inTurn,
    })
    const place = await created()
    await eventually('forks', DEADLINE_MS, async () =>
      expect(creations(await historyOf(place.namespace)).length).to.be.greaterThan(1),
    )
    for (const name of NAMES) await place.api.patch(place.path('experiments', name), { spec: { replicas: 2 } })
    await pause(RETRY_AFTER_S * 1_000)
    healed()
    expect(failed - before).to.be.greaterThan(NAMES.length)
    await recovers(place, WANTED, RETRIED_MS)
    expect(creations(await historyOf(place.namespace))).to.have.length(NAMES.length)
  })

  it('F17: every call takes 4 s: the Lease is kept, and no two writes of one experiment overlap', async () => {
    const spans: Span[] = []
    const sinceMs = performance.now()
    add({ of: {}, onCall: () => pause(DELAY_MS).then(() => undefined) })
    const ofPass = ({ isWrite, resource, namespace }: ApiCall) =>
      isWrite && /deployments$/.test(resource) && namespace === place?.namespace
    add({
      of: {},
      when: ofPass,
      onCall: (call) => void spans.push({ call, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY }),
      onAnswer: (call) => {
        const span = spans.find((each) => each.call === call)
        if (span) span.toMs = performance.now()
        return undefined
      },
    })
    let place: Place | undefined
    place = await created()
    for (const replicas of [2, 1, 3]) {
      for (const name of NAMES) await place.api.patch(place.path('experiments', name), { spec: { replicas } })
      await pause(DELAY_MS)
    }
    await converges(place, WANTED, 2 * DEADLINE_MS)
    for (const name of NAMES) {
      const names = [name, forkOf(await place.experimentAt(name))]
      const own = spans.filter(({ call }) => names.includes(call.name))
      expect(own.length).to.be.at.least(4)
      for (const [index, { fromMs }] of own.entries())
        expect(fromMs, `a write of ${name}`).to.be.at.least(own[index - 1]?.toMs ?? 0)
    }
    const renewals = callsSince(sinceMs, ({ resource, method }) => resource === 'leases' && method === 'PUT')
    expect(renewals.length).to.be.greaterThan(3)
    healed()
    await recovers(place, WANTED)
    expect(creations(await historyOf(place.namespace))).to.have.length(NAMES.length)
  })
})
