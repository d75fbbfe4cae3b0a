import { expect } from 'chai'
import fc from 'fast-check'
import '../property.ts'
import type { WriteFault } from '../fakes/faults.ts'
import { VIEWS } from '../fakes/faults.ts'
import type { Step } from './model-steps.ts'
import { ModelWorld, reference } from './model-world.ts'

/** It ends before the time of the test is over, because only then a failure shows its steps. */
const RUNS = {
  numRuns: Number(process.env.RUNS ?? 30),
  interruptAfterTimeLimit: 240_000,
  markInterruptAsFailure: true,
}
/** Longer than any wait that could end with a write. The hourly pass is in it. */
const QUIET_MS = 4_000_000

const someViews = fc.subarray([...VIEWS], { minLength: 1 })

const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('override' as const, 'source' as const, 'recreate source' as const),
    tag: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    do: fc.constantFrom('scale' as const, 'foreign scale' as const),
    replicas: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({
    do: fc.constantFrom(
      'foreign field' as const,
      'foreign deletion' as const,
      'remove source' as const,
      'begin deletion' as const,
      'recreate' as const,
      'replace' as const,
      'delete' as const,
    ),
  }),
  fc.record({
    do: fc.constantFrom('lose events' as const, 'thaw' as const, 'kill' as const, 'remember' as const),
  }),
  fc.record({ do: fc.constantFrom('freeze' as const, 'kill onto the past' as const), views: someViews }),
  fc.record({
    do: fc.constant('bad list' as const),
    view: fc.constantFrom(...VIEWS),
    how: fc.constantFrom('unreachable' as const, 'empty' as const, 'past' as const),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.oneof(fc.nat(500), fc.nat(20_000)) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.nat(90_000) }),
)

const aFault: fc.Arbitrary<WriteFault> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('none' as const) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<WriteFault>(
      'lost before it is stored',
      'lost after it is stored',
      'sent twice',
      'refused as outdated',
      'killed before it is stored',
      'killed after it is stored',
    ),
  },
)

describe('a controller whose writes fail, that is killed, misses events and meets other clients', function () {
  this.timeout(300_000)

  it('ends as if nothing had happened, and writes nothing more', () =>
    fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 25 }), fc.infiniteStream(aFault), async (steps, faults) => {
        const world = new ModelWorld(faults)
        await world.start()
        for (const step of steps) await world.perform(step)
        await world.heal()
        expect(world.end).to.deep.equal(await reference(world))
        const before = world.server.diary.filter((line) => !line.startsWith('get '))
        await world.pass(QUIET_MS)
        expect(world.server.diary.filter((line) => !line.startsWith('get ')).slice(before.length)).to.deep.equal([])
        expect(world.clients.flatMap(({ violations }) => violations)).to.deep.equal([])
        expect(world.oracle.violations).to.deep.equal([])
        expect(world.mostForks).to.be.at.most(1)
        await world.stop()
      }),
      RUNS,
    ))
})
