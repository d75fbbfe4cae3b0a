import { expect } from 'chai'
import fc from 'fast-check'
import { RUN_PATHS, type RunPath, type StrategyRunStatus } from '../../../common/api/strategy.ts'
import { compileSteps, type RunStep } from '../../../common/strategy/compile.ts'
import { atStep, phaseOf, presentRun, type Run, runStatus, writesSource } from '../../../common/strategy/run.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { anExperiment } from '../../builders.ts'
import { LAW } from '../../property.ts'

const NOW = new Date('2026-11-21T14:05:03.120Z')
const BEFORE = '2026-11-21T14:00:00.000Z'
const IDENTITY = { run: 'aaaa', revision: '1f2e' }

const experiment = anExperiment({ strategy: { canary: { steps: [{ setWeight: 20 }, { pause: { duration: '1h' } }] } } })
const spec = strategyRunSpec(experiment.spec)
if (!spec) throw new Error('nothing to compile')
/** setWeight, pause, await, promote, drain */
const stepsOf = (path: RunPath): readonly RunStep[] => compileSteps(spec, path)
const FORWARD = stepsOf('Forward')

const aRun = (of: Partial<Run> = {}): Run => ({ ...IDENTITY, path: 'Forward', stepIndex: 1, since: BEFORE, ...of })
const aStatus = (of: Partial<StrategyRunStatus> = {}): StrategyRunStatus => ({
  ...aRun(),
  phase: 'Paused',
  stepName: 'pause 1h',
  step: '1/5 Paused',
  ...of,
})
const present = (stored: StrategyRunStatus | undefined) => presentRun(stored, IDENTITY, stepsOf, NOW)
const FIRST: Run = { ...IDENTITY, path: 'Forward', stepIndex: 0, since: NOW.toISOString() }
const command = { verb: 'resume', at: BEFORE, by: 'alice', answer: 'Done', message: '' } as const

describe('the present run', () => {
  it('is the stored one', () => {
    expect(present(aStatus())).to.deep.equal(aRun())
    expect(present(aStatus({ held: true, command }))).to.deep.equal(aRun({ held: true, command }))
    expect(present(aStatus({ path: 'Undo', stepIndex: 2 }))).to.deep.equal(aRun({ path: 'Undo', stepIndex: 2 }))
  })

  it('reads nothing from the status but its memory', () =>
    expect(present(aStatus({ phase: 'Promoted', stepName: 'x', step: '9/9', weight: { desired: 99 } }))).to.deep.equal(
      aRun(),
    ))

  const unsound: Readonly<Record<string, StrategyRunStatus | undefined>> = {
    'nothing is stored': undefined,
    'the step is negative': aStatus({ stepIndex: -1 }),
    'the step is no whole number': aStatus({ stepIndex: 0.5 }),
    'the step is beyond the end': aStatus({ stepIndex: FORWARD.length + 1 }),
    'the step is beyond the end of the way back': aStatus({ path: 'Abort', stepIndex: 2 }),
    'the time is none': aStatus({ since: 'yesterday' }),
  }
  for (const [when, stored] of Object.entries(unsound))
    it(`is at its first step if ${when}`, () => expect(present(stored)).to.deep.equal(FIRST))

  it('keeps the last command when a new run begins, which must not obey it again', () =>
    expect(present(aStatus({ run: 'bbbb', held: true, command }))).to.deep.equal({
      ...FIRST,
      attempt: 1,
      command,
    }))

  it('is at its first step if another run is stored, and counts those before', () => {
    expect(present(aStatus({ run: 'bbbb' }))).to.deep.equal({ ...FIRST, attempt: 1 })
    expect(present(aStatus({ run: 'bbbb', attempt: 4 }))).to.deep.equal({ ...FIRST, attempt: 5 })
    expect(present(aStatus({ attempt: 4 }))).to.deep.equal(aRun({ attempt: 4 }))
  })

  it('is at the same step, begun anew, with another revision', () =>
    expect(present(aStatus({ revision: '9999' }))).to.deep.equal(aRun({ since: NOW.toISOString() })))

  it('is a step of its path, or the end of it, whatever is stored', () => {
    const anyStatus = fc.record({
      run: fc.constantFrom('aaaa', 'bbbb'),
      revision: fc.constantFrom('1f2e', '9999'),
      path: fc.constantFrom(...RUN_PATHS),
      stepIndex: fc.oneof(fc.integer({ min: -2, max: 8 }), fc.double()),
      since: fc.constantFrom(BEFORE, '', 'x', NOW.toISOString()),
      held: fc.option(fc.boolean(), { nil: undefined }),
    })
    fc.assert(
      fc.property(anyStatus, (of) => {
        const run = present(aStatus(of as Partial<StrategyRunStatus>))
        expect(run.stepIndex).to.satisfy(Number.isSafeInteger).and.be.within(0, stepsOf(run.path).length)
        expect(Date.parse(run.since)).to.satisfy(Number.isFinite)
        expect(run).to.include(IDENTITY)
        expect(present(runStatus(run, stepsOf(run.path), undefined))).to.deep.equal(run)
      }),
      LAW,
    )
  })
})

describe('moved', () => {
  it('begins the step now and keeps everything else', () => {
    const run = aRun({ held: true, command })
    expect(atStep(run, { stepIndex: 3 }, NOW)).to.deep.equal({ ...run, stepIndex: 3, since: NOW.toISOString() })
    expect(atStep(run, { path: 'Abort', stepIndex: 0 }, NOW)).to.include({ path: 'Abort', stepIndex: 0 })
  })
})

describe('the phase of a run', () => {
  const phases: readonly (readonly [of: Partial<Run>, phase: string])[] = [
    [{ stepIndex: 0 }, 'Progressing'],
    [{ stepIndex: 1 }, 'Paused'],
    [{ stepIndex: 2 }, 'Paused'],
    [{ stepIndex: 3 }, 'Progressing'],
    [{ stepIndex: 4 }, 'Progressing'],
    [{ stepIndex: 5 }, 'Promoted'],
    [{ stepIndex: 0, held: true }, 'Paused'],
    [{ path: 'Abort', stepIndex: 0 }, 'Aborting'],
    [{ path: 'Abort', stepIndex: 1 }, 'Aborted'],
    [{ path: 'Undo', stepIndex: 0 }, 'Undoing'],
    [{ path: 'Undo', stepIndex: 1 }, 'Undoing'],
    [{ path: 'Undo', stepIndex: 2 }, 'Undone'],
  ]
  for (const [of, phase] of phases)
    it(`is ${phase} with ${JSON.stringify(of)}`, () => {
      const run = aRun(of)
      expect(phaseOf(run, stepsOf(run.path))).to.equal(phase)
    })

  it('is Paused while it waits for a verdict', () =>
    expect(phaseOf(aRun({ stepIndex: 0 }), [{ is: 'analysis' }])).to.equal('Paused'))
})

describe('the status of a run', () => {
  it('tells the step, the phase and the weight', () => {
    const weight = { desired: 20, actual: 23 }
    expect(runStatus(aRun(), FORWARD, weight)).to.deep.equal(aStatus({ weight }))
  })

  it('tells none where nothing is left to do, and no weight where none decides', () =>
    expect(runStatus(aRun({ stepIndex: 5 }), FORWARD, undefined)).to.deep.equal(
      aStatus({ stepIndex: 5, phase: 'Promoted', stepName: 'none', step: '5/5 Promoted' }),
    ))
})

describe('whether a stored run writes the source', () => {
  it('is true at the promotion and at its undo, and nowhere else', () => {
    const at = (stepName: string) => writesSource({ stepName } as StrategyRunStatus)
    expect(['promote', 'restore'].map(at)).to.deep.equal([true, true])
    expect(['setWeight 20%', 'pause', 'analysis', 'await', 'drain 30s', 'none'].map(at)).to.deep.equal([
      false,
      false,
      false,
      false,
      false,
      false,
    ])
    expect(writesSource(undefined)).to.equal(false)
  })
})
