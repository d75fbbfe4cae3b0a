import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS, forkOf, imagesOf, type Place, usesProduct } from '../integration/product.ts'
import { type ApiAnswer, type ApiCall, type OpenWatch, statusAnswer } from './api-call.ts'
import { CONVERGED_MS, converges, recovers } from './oracles.ts'
import { type Arrived, aShop, usesProxied } from './proxied.ts'
import { among, between, freeze, type Rule } from './rules.ts'

const EXPERIMENTS = EXPERIMENT_DEPLOYMENT.plural
/** Of experiments, policies, Services, slices, and of two kinds that are served: all, and the forks. */
const LISTS = 8
const EVERY_MS = 1_000
const CLOSING_MS = 300_000
/** After so long without a line a watch is dead. */
const SILENT_MS = 120_000
/** The first wait of a reflector is at least half of 0.8 s. */
const FIRST_WAIT_MS = 400
const wanted = { one: 'Available', two: 'Available' }

const gone = statusAnswer(410, 'Expired', 'too old resource version')
const html: ApiAnswer = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<html>Sign in</html>'),
}
const ERROR_410 = JSON.stringify({ type: 'ERROR', object: JSON.parse(gone.body.toString()) })

/** What a list becomes, time after time. */
const BROKEN: readonly ((list: ApiAnswer) => ApiAnswer)[] = [
  (list) => ({ ...list, body: list.body.subarray(0, list.body.length - 20) }),
  () => html,
  (list) => changed(list, (of) => ({ ...of, items: [], metadata: { resourceVersion: '1' } })),
]

describe('watches and lists fail, on the real control plane', function () {
  this.timeout(6 * DEADLINE_MS)
  usesProduct()
  const proxied = usesProxied()
  const open = new Map<OpenWatch, ApiCall>()
  let place: Place
  const ends: (() => void)[] = []
  const add = (rule: Rule) => void ends.push(proxied().rules.add(rule))

  before('every watch is known, and there are experiments', async () => {
    proxied().rules.add({ of: { isWatch: true }, onWatch: (call, watch) => void open.set(watch, call) })
    await proxied().restart()
    place = await aShop()
    for (const name of ['one', 'two']) await place.experiment(name, { source: 'cart' })
    await recovers(place, wanted)
  })
  afterEach('no fault is left', () => {
    for (const end of ends.splice(0)) end()
  })

  const callsSince = (sinceMs: number, of: (call: Arrived) => boolean) =>
    proxied().calls.filter((call) => call.atMs >= sinceMs && of(call))
  const isList = ({ method, isWatch, name }: ApiCall) => method === 'GET' && !isWatch && name === ''

  /** Adds an error to every open watch of `resource`, or of all. Returns when. */
  function tellGone(resource?: string): number {
    const sinceMs = performance.now()
    for (const [watch, call] of open) {
      if (resource !== undefined && call.resource !== resource) continue
      watch.send(ERROR_410)
      open.delete(watch)
    }
    return sinceMs
  }
  const image = (tag: string) => {
    const containers = [{ name: 'cart', image: tag }]
    return place.api.patch(
      place.path('deployments', 'cart'),
      { spec: { template: { spec: { containers } } } },
      'strategic',
    )
  }
  const followed = (tag: string, limitMs: number) =>
    eventually(`forks of ${tag}`, limitMs, async () => {
      for (const name of ['one', 'two'])
        expect(imagesOf(await place.deployment(forkOf(await place.experimentAt(name))))).to.deep.equal([tag])
    })

  /** How many experiments the controller has in its cache. */
  const cached = () => proxied().rival.metric(`reflector_objects{resource="${EXPERIMENTS}"}`)
  /** How often its watches and lists were answered with 410. */
  const outdatedCount = async () =>
    (await proxied().rival.metric(`reflector_restarts_total{resource="${EXPERIMENTS}",cause="gone"}`)) || 0
  const isOfExperiments = ({ resource }: ApiCall) => resource === EXPERIMENTS
  const pages = { resource: EXPERIMENTS, isWatch: false }
  const isFirst = (call: ApiCall) => isList(call) && !call.query.has('continue')
  const outdated: Readonly<Record<string, () => number>> = {
    'an event says 410': () => tellGone(EXPERIMENTS),
    'a watch is answered with 410': () => {
      add({ of: { resource: EXPERIMENTS, isWatch: true }, when: between(1, 1), onCall: () => gone })
      for (const [watch, call] of open) if (isOfExperiments(call)) watch.end()
      return performance.now()
    },
    'an event and then twice the second page of a list say 410': () => {
      add({ of: pages, when: among(isFirst, between(1, 2)), onAnswer: (_, list) => changed(list, withMore) })
      add({ of: pages, when: ({ query }) => query.has('continue'), onCall: () => gone })
      return tellGone(EXPERIMENTS)
    },
  }
  for (const [what, begin] of Object.entries(outdated))
    it(`F11: ${what}: it lists again after a wait, and sees what was deleted meanwhile`, async () => {
      await place.experiment('brief', { source: 'cart' })
      await converges(place, { ...wanted, brief: 'Available' }, DEADLINE_MS)
      const [known, counted] = [await cached(), await outdatedCount()]
      const frost = freeze({ resource: EXPERIMENTS })
      add(frost.rule)
      await place.api.delete(place.path('experiments', 'brief'))
      await frost.holds
      expect(await cached()).to.equal(known)
      const sinceMs = begin()
      const lists = () => callsSince(sinceMs, (call) => isFirst(call) && isOfExperiments(call))
      await eventually('it to watch again', DEADLINE_MS, () => {
        const listedMs = lists().at(-1)?.atMs ?? Number.POSITIVE_INFINITY
        expect(callsSince(listedMs, (call) => call.isWatch && isOfExperiments(call))).to.have.length(1)
      })
      const times = [sinceMs, ...lists().map(({ atMs }) => atMs)]
      const waits = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0))
      expect(Math.min(...waits)).to.be.at.least(FIRST_WAIT_MS)
      expect(waits).to.have.length(what.includes('page') ? 3 : 1)
      expect((await outdatedCount()) - counted, 'the failures that its metric counts').to.equal(waits.length)
      // the watch does not tell it: the event is held back, and the next watch begins after it
      expect(await cached(), 'the experiments in the cache').to.equal(known - 1)
      for (const end of ends.splice(0)) end()
      frost.release()
      await recovers(place, wanted)
      expect(await cached()).to.equal(known - 1)
      expect(await namesOf(place), 'the fork goes, too').to.deep.equal(await wantedNames(place))
    })

  it('F29: every list is cut off, then HTML, then empty with a lower version: the cache is kept, and nothing is written', async () => {
    const history = proxied().calls.length
    const counts = new Map<string, number>()
    add({
      of: { method: 'GET', isWatch: false, name: '' },
      onAnswer: (call, list) => {
        if (call.resource === '' || list.status !== 200) return undefined
        const key = `${call.resource} ${call.query.get('labelSelector')}`
        const count = counts.get(key) ?? 0
        counts.set(key, count + 1)
        return BROKEN[count]?.(list)
      },
    })
    tellGone()
    await eventually('the lists to be good again', 2 * DEADLINE_MS, () =>
      expect([...counts.values()].filter((count) => count > BROKEN.length).length).to.be.at.least(LISTS),
    )
    for (const end of ends.splice(0)) end()
    expect(await namesOf(place)).to.deep.equal(await wantedNames(place))
    const writes = proxied()
      .calls.slice(history)
      .filter(({ isWrite, resource }) => isWrite && resource !== 'leases')
    expect(writes).to.deep.equal([])
    await recovers(place, wanted)
  })

  it('F12: watches are half-open: that is found within 120 s, and nothing is lost or listed again', async () => {
    const old = new Set(open.values())
    const frost = freeze({ resource: 'deployments' }, (call) => old.has(call))
    add(frost.rule)
    const sinceMs = performance.now()
    await image('registry.example/cart:2')
    await frost.holds
    await followed('registry.example/cart:2', SILENT_MS + CONVERGED_MS)
    const again = () => callsSince(sinceMs, ({ resource, name }) => resource === 'deployments' && name === '')
    // sources and forks have a watch each; the silence of each began with its own last bookmark
    const watches = await eventually('both watches to be opened again', SILENT_MS, () => {
      const found = again().filter(({ isWatch }) => isWatch)
      expect(found).to.have.length(2)
      return found
    })
    expect(again().filter(isList)).to.deep.equal([])
    for (const { atMs, query } of watches) {
      expect(atMs - sinceMs).to.be.at.most(SILENT_MS + FIRST_WAIT_MS * 4)
      expect(query.get('resourceVersion')).to.match(/^[1-9]/)
    }
    await recovers(place, wanted)
  })

  it('F13: a watch is closed every second for five minutes: the waits grow to their cap, and the cache is right', async () => {
    const sinceMs = performance.now()
    const closing = (watch: OpenWatch) => setTimeout(watch.end, EVERY_MS)
    for (const [watch, call] of open) if (call.resource === EXPERIMENTS) closing(watch)
    add({ of: { resource: EXPERIMENTS, isWatch: true }, onWatch: (_, watch) => void closing(watch) })
    await pause(CLOSING_MS)
    const opened = callsSince(sinceMs, ({ isWatch, resource }) => isWatch && resource === EXPERIMENTS)
    const waits = opened.slice(1).map(({ atMs }, index) => atMs - (opened[index]?.atMs ?? 0))
    // five until the cap, then one in 11 to 21 s
    expect(opened.length).to.be.within(15, 36)
    expect(Math.max(...waits)).to.be.within(10_000, 20_000 + 2 * EVERY_MS)
    await place.experiment('late', { source: 'cart' })
    await converges(place, { late: 'Available' })
    expect(callsSince(sinceMs, (call) => isList(call) && call.resource === EXPERIMENTS)).to.deep.equal([])
    await place.api.delete(place.path('experiments', 'late'))
    for (const end of ends.splice(0)) end()
    await recovers(place, wanted)
    expect(await namesOf(place)).to.deep.equal(await wantedNames(place))
  }).timeout(2 * CLOSING_MS)
})

/** A list in other words. */
const changed = (list: ApiAnswer, change: (of: { metadata: object }) => object): ApiAnswer => ({
  ...list,
  body: Buffer.from(JSON.stringify(change(JSON.parse(list.body.toString())))),
})

const withMore = (list: { metadata: object }) => ({ ...list, metadata: { ...list.metadata, continue: 'more' } })

/** The names of all Deployments of `place`. */
const namesOf = async ({ api, path }: Place) =>
  (await api.list(path('deployments'))).map(({ metadata }) => metadata.name).toSorted()

const wantedNames = async (place: Place) =>
  [
    'cart',
    ...(await Promise.all(['one', 'two'].map(async (name) => forkOf(await place.experimentAt(name))))),
  ].toSorted()
