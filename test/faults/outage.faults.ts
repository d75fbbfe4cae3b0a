import { expect } from 'chai'
import { at } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS, forkOf, usesProduct } from '../integration/product.ts'
import { converges, creations, historyOf, recovers } from './oracles.ts'
import { aShop, usesProxied } from './proxied.ts'
import { freeze, type Rule } from './rules.ts'

/** What becomes of every call until the promise resolves. */
type Outage = (over: Promise<void>) => NonNullable<Rule['onCall']>

const OUTAGES: Readonly<Record<string, Outage>> = {
  'refuses every call': () => () => 'reset',
  // The calls of a process that has ended by then are made, too.
  'answers no call, and makes all of them afterwards': (over) => () => over.then(() => undefined),
}

describe('the whole API server is away, on the real control plane', function () {
  this.timeout(5 * DEADLINE_MS)
  usesProduct()
  const proxied = usesProxied()
  let end: () => void = () => undefined
  afterEach('no fault is left', () => end())

  function begin(outage: Outage): void {
    const over = Promise.withResolvers<void>()
    const frost = freeze({})
    const ends = [frost.rule, { of: {}, onCall: outage(over.promise) }].map((rule) => proxied().rules.add(rule))
    end = () => {
      for (const each of ends) each()
      over.resolve()
      frost.release()
    }
  }

  for (const [what, outage] of Object.entries(OUTAGES))
    it(`F15: it ${what}, those for the Lease included: the leader exits, and the next one does what is left`, async () => {
      const place = await aShop()
      for (const name of ['one', 'two']) await place.experiment(name, { source: 'cart' })
      await converges(place, { one: 'Available', two: 'Available' })
      begin(outage)
      await place.experiment('late', { source: 'cart' })
      await place.api.delete(place.path('experiments', 'one'))
      await place.api.patch(place.path('experiments', 'two'), { spec: { replicas: 2 } })
      const { code, lastLines } = await proxied().rival.process.expectExit()
      expect(code, lastLines).to.equal(1)
      const exitedMs = performance.now()
      const restarted = proxied().restart() // as kubelet does
      restarted.catch(() => undefined) // awaited below
      await eventually('the next one to call', DEADLINE_MS, () =>
        expect(proxied().calls.at(-1)?.atMs).to.be.greaterThan(exitedMs),
      )
      end()
      await restarted
      await recovers(place, { two: 'Available', late: 'Available' })
      expect(at((await place.deployment(forkOf(await place.experimentAt('two')))).spec, 'replicas')).to.equal(2)
      expect(creations(await historyOf(place.namespace))).to.have.length(3)
      expect(await place.api.list(place.path('deployments')), 'the source and two forks').to.have.length(3)
    })
})
