import { expect } from 'chai'
import fc from 'fast-check'
import { RUN_PATHS } from '../../../common/api/strategy.ts'
import { compileSteps, type RunStep } from '../../../common/strategy/compile.ts'
import { abortMove, next, type StepFacts } from '../../../common/strategy/next.ts'
import { atStep, type Run } from '../../../common/strategy/run.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { anExperiment } from '../../builders.ts'
import { LAW } from '../../property.ts'

const NOW = new Date('2026-11-21T14:05:03.120Z')
const FACTS: StepFacts = {
  now: NOW,
  elapsedMs: 0,
  isReached: false,
  isFailed: false,
  isApproved: false,
  hasPassed: false,
}
const SINCE = NOW.toISOString()

const aRun = (of: Partial<Run> = {}): Run => ({
  run: 'aaaa',
  revision: '1f2e',
  path: 'Forward',
  stepIndex: 0,
  since: '2026-11-21T14:00:00.000Z',
  ...of,
})
const setWeight: RunStep = { is: 'setWeight', weight: 20, field: 'f' }
const pause: RunStep = { is: 'pause', seconds: 60 }
const drain: RunStep = { is: 'drain', seconds: 30 }

/** What a run does whose only step is this. */
const at = (step: RunStep, facts: Partial<StepFacts> = {}, run: Partial<Run> = {}) =>
  next(aRun(run), [step], { ...FACTS, ...facts })
const completed = { is: 'move', run: aRun({ stepIndex: 1, since: SINCE }) }

describe('a run', () => {
  for (const step of [setWeight, { is: 'surge' }, { is: 'replicas' }] satisfies readonly RunStep[])
    it(`${step.is}: goes on once it is reached`, () => {
      expect(at(step)).to.deep.equal({ is: 'stay' })
      expect(at(step, { isReached: true })).to.deep.include({ ...completed, reason: 'StepCompleted' })
    })

  it('tells which step is done', () =>
    expect(at(setWeight, { isReached: true })).to.include({ message: 'step 1 of 1 is done: setWeight 20%' }))

  it('pause: goes on when its time is over, and says how long that takes', () => {
    expect(at(pause)).to.deep.equal({ is: 'stay', restMs: 60_000 })
    expect(at(pause, { elapsedMs: 59_999 })).to.deep.equal({ is: 'stay', restMs: 1 })
    expect(at(pause, { elapsedMs: 60_000 })).to.deep.include(completed)
    expect(at({ is: 'pause', seconds: 0 })).to.deep.include(completed)
  })

  it('pause without a time: stays, whatever happens', () =>
    expect(at({ is: 'pause' }, { elapsedMs: 1e12, isReached: true, isApproved: true, isFailed: true })).to.deep.equal({
      is: 'stay',
    }))

  it('await: goes on once the present revision is approved', () => {
    expect(at({ is: 'await' }, { isReached: true, elapsedMs: 1e12 })).to.deep.equal({ is: 'stay' })
    expect(at({ is: 'await' }, { isApproved: true, hasPassed: false })).to.deep.include({
      ...completed,
      reason: 'StepCompleted',
    })
  })

  it('promote, restore: stay, because what is written to the source decides', () => {
    const facts = { isReached: true, isApproved: true, isFailed: true, elapsedMs: 1e12 }
    expect(at({ is: 'promote' }, facts)).to.deep.equal({ is: 'stay' })
    expect(at({ is: 'restore' }, facts, { path: 'Undo' })).to.deep.equal({ is: 'stay' })
  })

  it('drain: ends promoted when its time is over', () => {
    expect(at(drain, { elapsedMs: 29_000 })).to.deep.equal({ is: 'stay', restMs: 1_000 })
    expect(at(drain, { elapsedMs: 30_000 })).to.deep.include({ ...completed, reason: 'Promoted' })
  })

  it('remove: ends aborted or undone', () => {
    const reason = (path: 'Abort' | 'Undo') => {
      const found = at({ is: 'remove' }, { isReached: true }, { path })
      return found.is === 'move' && found.reason
    }
    expect([reason('Abort'), reason('Undo')]).to.deep.equal(['Aborted', 'Undone'])
  })

  it('with a deadline that is over is aborted', () => {
    const cause = 'its fork exceeded its progress deadline'
    const run = aRun({ path: 'Abort', since: SINCE, cause })
    expect(at(setWeight, { isFailed: true })).to.deep.equal({
      is: 'move',
      run,
      reason: 'Aborted',
      message: cause,
    })
  })

  it('that somebody paused goes all the way back once it is aborted', () => {
    const { run } = abortMove(aRun({ held: true, stepIndex: 1 }), 'why', FACTS)
    expect(run).to.deep.equal(aRun({ path: 'Abort', since: SINCE, cause: 'why' }))
  })

  it('N24: that is aborted keeps its cause on its way back, in at most 1,024 characters', () => {
    const { run } = abortMove(aRun({ stepIndex: 1 }), `why; ${'x'.repeat(2_000)}`, FACTS)
    expect(run.cause).to.equal('why; ...')
    expect(atStep(run, { stepIndex: 1 }, NOW).cause).to.equal('why; ...')
    expect(atStep(run, { path: 'Forward', stepIndex: 0 }, NOW)).to.not.have.property('cause')
  })

  it('that is reached is not aborted by a deadline', () =>
    expect(at(setWeight, { isFailed: true, isReached: true })).to.include({ reason: 'StepCompleted' }))

  it('on its way back is not aborted again', () =>
    expect(at({ is: 'remove' }, { isFailed: true }, { path: 'Abort' })).to.deep.equal({ is: 'stay' }))

  it('that somebody paused stays, whatever happens', () => {
    for (const step of [setWeight, pause, drain, { is: 'await' }] satisfies readonly RunStep[])
      expect(
        at(step, { isReached: true, isApproved: true, isFailed: true, elapsedMs: 1e12 }, { held: true }),
      ).to.deep.equal({ is: 'stay' })
  })

  it('that is over stays', () =>
    expect(at(setWeight, { isReached: true, isFailed: true }, { stepIndex: 1 })).to.deep.equal({ is: 'stay' }))
})

describe('a run with any facts', () => {
  const { spec } = anExperiment({
    strategy: { canary: { steps: [{ setWeight: 5 }, { pause: { duration: 60 } }, { setWeight: 50 }, { pause: {} }] } },
  })
  const runSpec = strategyRunSpec(spec)
  if (!runSpec) throw new Error('nothing to compile')
  const anyFacts = fc.record({
    now: fc.constant(NOW),
    elapsedMs: fc.nat(200_000),
    isReached: fc.boolean(),
    isFailed: fc.boolean(),
    isApproved: fc.boolean(),
    hasPassed: fc.boolean(),
  })
  const anyStart = fc.record({ path: fc.constantFrom(...RUN_PATHS), stepIndex: fc.nat(7), held: fc.boolean() })

  it('waits at an analysis until it has passed', () => {
    expect(at({ is: 'analysis' }, { isReached: true, isApproved: true, elapsedMs: 1e12 })).to.deep.equal({ is: 'stay' })
    expect(at({ is: 'analysis' }, { hasPassed: true })).to.deep.include({ ...completed, reason: 'StepCompleted' })
  })

  it('moves by one step or turns back, and gives an equal answer to equal facts', () => {
    fc.assert(
      fc.property(anyStart, anyFacts, (start, facts) => {
        const run = aRun(start)
        const steps = compileSteps(runSpec, run.path)
        const found = next(run, steps, facts)
        expect(next(run, steps, facts)).to.deep.equal(found)
        if (found.is === 'stay') {
          if (found.restMs !== undefined) expect(found.restMs).to.be.above(0)
        } else if (found.run.path === run.path) expect(found.run.stepIndex).to.equal(run.stepIndex + 1)
        else expect([run.path, found.run.path, found.run.stepIndex]).to.deep.equal(['Forward', 'Abort', 0])
      }),
      LAW,
    )
  })

  it('comes to its end, or to a step that waits for somebody', () => {
    fc.assert(
      fc.property(anyStart, fc.boolean(), (start, isFailed) => {
        const facts = { now: NOW, elapsedMs: 1e9, isReached: true, isFailed, isApproved: false, hasPassed: false }
        let run = aRun({ ...start, held: false })
        for (let moves = 0; moves < 20; moves += 1) {
          const found = next(run, compileSteps(runSpec, run.path), facts)
          if (found.is === 'stay') break
          run = found.run
        }
        const waits = ['pause', 'await', 'promote', 'restore', undefined]
        expect(waits).to.include(compileSteps(runSpec, run.path)[run.stepIndex]?.is)
      }),
    )
  })
})
