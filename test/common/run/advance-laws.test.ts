import { expect } from 'chai'
import fc from 'fast-check'
import { decodeStatus } from '../../../common/api/decode-status.ts'
import type { CanaryStep, PromotionMode, StrategyRunStatus } from '../../../common/api/strategy.ts'
import { canonicalJson } from '../../../common/json/canonical.ts'
import { plan, runState, statusOf } from '../of-facts.ts'
import '../../property.ts'
import { formerStatusOf, withoutWhole } from '../plan/collisions.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from '../plan/some-run.ts'

const aStep: fc.Arbitrary<CanaryStep> = fc.oneof(
  fc.record({ setWeight: fc.nat(50) }),
  fc.record({ pause: fc.constantFrom({}, { duration: 60 }, { duration: '1h' }) }),
)
const aSpec = fc.record({
  steps: fc.array(aStep, { maxLength: 6 }),
  maxSurge: fc.constantFrom<number | string>('100%', '25%', 3),
  mode: fc.constantFrom<PromotionMode>('Manual', 'Automatic', 'Export'),
  source: fc.nat(12),
})

function aRunOf({ steps, maxSurge, mode, source }: typeof aSpec extends fc.Arbitrary<infer Of> ? Of : never): RunWorld {
  const strategy = { canary: { steps, maxSurge } }
  return aRun(aRunExperiment({ strategy, promotion: { mode } }), { source: aSource(source) })
}

/** What may happen between two passes. */
const EVENTS: Readonly<Record<string, (run: RunWorld) => void>> = {
  'an hour': (run) => run.wait(3_600),
  resume: (run) => run.say('resume'),
  promote: (run) => run.say('promote'),
  undo: (run) => run.say('undo'),
  retry: (run) => run.say('retry'),
  pause: (run) => run.sayUnstamped('pause'),
  abort: (run) => run.sayUnstamped('abort'),
  'no fork': ({ world }) => {
    world.fork = undefined
  },
  'no source': ({ world }) => {
    world.source = undefined
  },
  'a source': ({ world }) => {
    world.source = aSource()
  },
  'a larger source': ({ world }) => {
    world.source = aSource(20)
  },
  'the change by other hands': ({ world }) => {
    world.source = aSource(10, 'example/cart:2')
  },
  'no record': ({ world }) => {
    world.record = undefined
  },
  'no component': ({ world }) => {
    world.isPromotionInstalled = false
  },
  'another weight': (run) => run.edit({ strategy: { canary: { steps: [{ setWeight: 30 }] } } }),
}
const someEvents = fc.array(fc.constantFrom(...Object.keys(EVENTS)), { maxLength: 8 })

/** Makes one pass, which must keep the laws. Returns whether the run rests. */
function lawfulPass(run: RunWorld): boolean {
  const facts = run.facts()
  expect(canonicalJson(withoutFunctions(plan(facts)))).to.equal(canonicalJson(withoutFunctions(plan(run.facts()))))
  const before = run.strategy()
  const { writes, conclusion } = run.pass()
  const isMove = conclusion.run?.moved !== undefined
  if (isMove) expect(writes).to.deep.equal([])
  const [was, is] = [placeOf(before), placeOf(run.strategy())]
  if (before && was !== is && before.run === run.strategy()?.run) expect(isMove, `${was} → ${is}`).to.equal(true)
  return !isMove && writes.length === 0
}
const placeOf = (of: StrategyRunStatus | undefined) => of && `${of.path} ${of.stepIndex} ${of.held ?? false}`
const withoutFunctions = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

/** The passes of a whole run are far fewer: each step has a move and a write, and a promotion has two. */
const MANY = 60

describe('the laws of a run', () => {
  it('after anything that happens it comes to an end or a pause; each pass moves it or acts; equal facts, equal plans', () =>
    fc.assert(
      fc.property(aSpec, someEvents, (of, events) => {
        const run = aRunOf(of)
        for (const event of ['nothing', ...events]) {
          EVENTS[event]?.(run)
          let passes = 0
          while (!lawfulPass(run)) {
            passes += 1
            if (passes > MANY) throw new Error(`no rest after ${event}: ${JSON.stringify(run.strategy())}`)
          }
        }
      }),
    ))

  it('the source is written by a promotion only, and undone it is as it was', () =>
    fc.assert(
      fc.property(aSpec, (of) => {
        const run = aRunOf({ ...of, mode: 'Automatic', source: Math.max(1, of.source) })
        const before = run.world.source
        for (let turns = 0; turns < 20 && run.strategy()?.stepName !== 'drain 30s'; turns += 1) {
          expect(run.world.source).to.equal(before)
          run.say('resume')
          run.rest()
        }
        expect(run.world.source?.spec).to.not.deep.equal(before?.spec)
        run.say('undo')
        run.rest()
        expect(run.strategy()?.phase).to.equal('Undone')
        expect(run.world.source?.spec).to.deep.equal(before?.spec)
      }),
    ))
})

describe('the laws of a run that an earlier version stored', () => {
  it('N31: it is where it was, and what happens then causes the same writes and the same status', () =>
    fc.assert(
      fc.property(aSpec, someEvents, someEvents, (of, before, after) => {
        const [present, former] = [aRunOf(of), aRunOf(of)]
        for (const event of ['nothing', ...before])
          for (const run of [present, former]) {
            EVENTS[event]?.(run)
            run.rest(MANY)
          }
        withoutWhole(former)
        for (const event of ['nothing', ...after]) {
          const writes = [present, former].map((run) => {
            EVENTS[event]?.(run)
            return run
              .rest(MANY)
              .map((write) => withoutFunctions({ ...write, of: 'of' in write && write.of.metadata.name }))
          })
          expect(writes[1], event).to.deep.equal(writes[0])
          expect(formerStatusOf(former), event).to.deep.equal(formerStatusOf(present))
        }
      }),
    ))
})

const aKey = fc.constantFrom('run', 'revision', 'path', 'phase', 'stepIndex', 'stepName', 'since', 'step', 'held')
const junk = fc.oneof(
  fc.anything(),
  fc.constantFrom<unknown>('', 'Forward', -1, 0.5, 1e300, Number.NaN, '2026-11-21T10:00:00Z', null, [], {}),
)

describe('the laws of a stored run', () => {
  it('whatever is stored, there is a run: at a step of its list, or at step 0', () => {
    const sound = aRun()
    sound.rest()
    const stored = sound.strategy()
    fc.assert(
      fc.property(
        fc.oneof(
          junk,
          fc.dictionary(aKey, junk).map((of) => ({ ...stored, ...of })),
        ),
        fc.oneof(junk, fc.dictionary(fc.constantFrom('mode', 'record', 'written', 'patch', 'declaredBy'), junk)),
        (strategy, promotion) => {
          const { experiment, source, fork } = sound.world
          const status = { ...experiment.status, ...decodeStatus({ strategy, promotion }) }
          const run = aRun({ ...experiment, status }, { source, fork })
          const state = runState(run.facts(), fork)
          if (!state) throw new Error('there is no run')
          const { stepIndex } = state.run
          expect(Number.isSafeInteger(stepIndex) && stepIndex >= 0 && stepIndex <= state.steps.length).to.equal(true)
          expect(Number.isNaN(Date.parse(state.run.since))).to.equal(false)
          const facts = run.facts()
          statusOf(facts, plan(facts).conclusion)
          run.rest(MANY)
        },
      ),
    )
  })

  it('one of another run begins at step 0', () => {
    const run = aRun()
    run.rest()
    const strategy = run.strategy()
    if (!strategy) throw new Error('there is no run')
    const { experiment } = run.world
    run.world.experiment = { ...experiment, status: { ...experiment.status, strategy: { ...strategy, run: 'other' } } }
    expect(runState(run.facts(), run.world.fork)?.run).to.deep.include({ stepIndex: 0, path: 'Forward' })
  })
})
