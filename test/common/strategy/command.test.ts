import { expect } from 'chai'
import type { PromotionStatus } from '../../../common/api/strategy.ts'
import { type CommandResult, resultOfCommand } from '../../../common/strategy/command.ts'
import { COMMAND_VERBS, type Command, type CommandVerb } from '../../../common/strategy/command-text.ts'
import { compileSteps, type RunStep } from '../../../common/strategy/compile.ts'
import type { Run } from '../../../common/strategy/run.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { anExperiment } from '../../builders.ts'

const SINCE = '2026-11-21T14:00:00.000Z'
const AT = '2026-11-21T14:05:03.120Z'
const NOW = new Date('2026-11-21T14:05:04.000Z')
const REVISION = '1f2e3d4c5b'

const { spec } = anExperiment({ strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } })
const runSpec = strategyRunSpec(spec) as NonNullable<ReturnType<typeof strategyRunSpec>>

const aRun = (of: Partial<Run> = {}): Run => ({
  run: 'aaaa',
  revision: REVISION,
  path: 'Forward',
  stepIndex: 0,
  since: SINCE,
  ...of,
})

/** The runs of a canary: setWeight, pause, await, promote, drain. */
const RUNS = {
  weight: aRun(),
  held: aRun({ held: true }),
  pause: aRun({ stepIndex: 1 }),
  heldPause: aRun({ stepIndex: 1, held: true }),
  await: aRun({ stepIndex: 2 }),
  heldAwait: aRun({ stepIndex: 2, held: true }),
  promote: aRun({ stepIndex: 3 }),
  heldPromote: aRun({ stepIndex: 3, held: true }),
  drain: aRun({ stepIndex: 4 }),
  promoted: aRun({ stepIndex: 5 }),
  aborting: aRun({ path: 'Abort' }),
  aborted: aRun({ path: 'Abort', stepIndex: 1 }),
  undoing: aRun({ path: 'Undo' }),
  undone: aRun({ path: 'Undo', stepIndex: 2 }),
} as const
type At = keyof typeof RUNS

/** What was done to the source: by us, by others, or nothing; `recorded`: it may be written at any moment. */
const PROMOTIONS = {
  nothing: undefined,
  recorded: { mode: 'Manual', record: { name: 'r', hash: 'h' } },
  written: { mode: 'Manual', record: { name: 'r', hash: 'h' }, written: { uid: 'u', generation: 2 } },
  byOthers: { mode: 'Export', written: { uid: 'u', generation: 2 } },
} as const satisfies Record<string, PromotionStatus | undefined>
type Promotion = keyof typeof PROMOTIONS

const stampFor = (run: Run) => ({ step: run.stepIndex, revision: run.revision, at: AT })

function answer(command: Command, run: Run, promotion: Promotion = 'nothing'): CommandResult {
  const seen = { now: NOW, promotion: PROMOTIONS[promotion], mayHaveWritten: promotion !== 'nothing' }
  return resultOfCommand(command, run, compileSteps(runSpec, run.path), seen)
}

/** The answer to a verb with the right stamp. */
const said = (verb: CommandVerb, at: At, promotion?: Promotion): CommandResult =>
  answer({ verb, stamp: stampFor(RUNS[at]) }, RUNS[at], promotion)

/** What is left of the run when `verb` is done. */
function runAfter(verb: CommandVerb, at: At, promotion?: Promotion): Run {
  const found = said(verb, at, promotion)
  if (found.is !== 'Done') throw new Error(`${found.is}: ${found.message}`)
  return found.run
}

describe('the effect of a command', () => {
  it('pause, going forward with nothing written: holds', () => {
    for (const at of ['weight', 'pause', 'await', 'promote'] as const)
      expect(runAfter('pause', at)).to.deep.equal({ ...RUNS[at], held: true })
  })

  it('resume, paused: next step', () => {
    for (const at of ['pause', 'heldPause'] as const)
      expect(runAfter('resume', at)).to.deep.equal(aRun({ stepIndex: 2, since: NOW.toISOString() }))
  })

  it('resume, while a verdict is waited for: next step', () => {
    const steps: readonly RunStep[] = [{ is: 'analysis' }, { is: 'promote' }]
    const command: Command = { verb: 'resume', stamp: stampFor(aRun()) }
    for (const run of [aRun(), aRun({ held: true })]) {
      const found = resultOfCommand(command, run, steps, { now: NOW, promotion: undefined, mayHaveWritten: false })
      expect(found).to.deep.include({ is: 'Done', run: aRun({ stepIndex: 1, since: NOW.toISOString() }) })
    }
  })

  it('resume, held at another step: that goes on', () => {
    for (const [held, at] of [
      ['held', 'weight'],
      ['heldAwait', 'await'],
      ['heldPromote', 'promote'],
    ] as const)
      expect(runAfter('resume', held)).to.deep.equal(RUNS[at])
  })

  it('promote, going forward: no more weights, no more waiting, on to promote', () => {
    for (const at of ['weight', 'held', 'pause', 'heldPause', 'await', 'heldAwait', 'promote', 'heldPromote'] as const)
      expect(runAfter('promote', at)).to.deep.equal(aRun({ stepIndex: 3, since: NOW.toISOString() }))
  })

  it('promote, after a revert: once more', () =>
    expect(runAfter('promote', 'promote', 'written')).to.include({ path: 'Forward', stepIndex: 3 }))

  it('abort, nothing written yet: back to nothing', () => {
    for (const at of ['weight', 'held', 'pause', 'heldPause', 'await', 'promote'] as const)
      expect(runAfter('abort', at)).to.deep.equal(aRun({ path: 'Abort', since: NOW.toISOString() }))
  })

  it("undo, written by us, also promoted: the source's former values", () => {
    for (const at of ['promote', 'drain', 'promoted'] as const)
      expect(runAfter('undo', at, 'written')).to.deep.equal(aRun({ path: 'Undo', since: NOW.toISOString() }))
    expect(runAfter('undo', 'promote', 'recorded')).to.include({ path: 'Undo', stepIndex: 0 })
  })

  it('retry, aborted or undone: a new run', () => {
    const next = aRun({ since: NOW.toISOString(), attempt: 1 })
    expect(runAfter('retry', 'aborted')).to.deep.equal(next)
    expect(runAfter('retry', 'undone', 'written')).to.deep.equal(next)
  })

  it('has a reason and a message that says where the run was', () => {
    const told = (verb: CommandVerb, at: At, promotion?: Promotion) => {
      const found = said(verb, at, promotion)
      return found.is === 'Done' ? `${found.reason}: ${found.message}` : found.is
    }
    expect([
      told('pause', 'weight'),
      told('resume', 'pause'),
      told('promote', 'await'),
      told('abort', 'pause'),
      told('undo', 'promoted', 'written'),
      told('retry', 'aborted'),
    ]).to.deep.equal([
      'PausedByCommand: paused at step 1 of 5, Progressing',
      'Resumed: goes on after step 2 of 5, Paused',
      'Promoting: promotes at step 3 of 5, Paused',
      'Aborted: aborted at step 2 of 5, Paused',
      'Undoing: undone at step 5 of 5, Promoted',
      'Retried: begins again at its first step',
    ])
  })
})

const REVERT = 'revert that change where it is declared'

describe('a command that does not fit', () => {
  const cases: readonly (readonly [verb: CommandVerb, at: At, promotion: Promotion, message: string])[] = [
    ['resume', 'weight', 'nothing', 'resume: nothing is paused; step 1 of 5, Progressing'],
    ['resume', 'drain', 'written', 'resume: nothing is paused; step 5 of 5, Progressing'],
    ['resume', 'aborted', 'nothing', 'resume: nothing is paused; step 1 of 1, Aborted'],
    ['resume', 'await', 'nothing', 'resume: the run waits for promote; step 3 of 5, Paused'],
    ['pause', 'aborting', 'nothing', 'pause: the run does not go forward; step 1 of 1, Aborting'],
    ['pause', 'promoted', 'nothing', 'pause: the run does not go forward; step 5 of 5, Promoted'],
    ['pause', 'promote', 'recorded', 'pause: the source may have the change; use undo; step 4 of 5, Progressing'],
    ['pause', 'drain', 'written', 'pause: the source may have the change; use undo; step 5 of 5, Progressing'],
    ['abort', 'promote', 'recorded', 'abort: the source may have the change; use undo; step 4 of 5, Progressing'],
    ['abort', 'promote', 'written', 'abort: the source may have the change; use undo; step 4 of 5, Progressing'],
    ['abort', 'drain', 'byOthers', `abort: the source may have the change; ${REVERT}; step 5 of 5, Progressing`],
    ['pause', 'drain', 'byOthers', `pause: the source may have the change; ${REVERT}; step 5 of 5, Progressing`],
    ['abort', 'aborting', 'nothing', 'abort: the run does not go forward; step 1 of 1, Aborting'],
    ['abort', 'undone', 'nothing', 'abort: the run does not go forward; step 2 of 2, Undone'],
    ['promote', 'promote', 'recorded', 'promote: it is being promoted; step 4 of 5, Progressing'],
    ['promote', 'drain', 'written', 'promote: there is nothing to promote; step 5 of 5, Progressing'],
    ['promote', 'promoted', 'written', 'promote: there is nothing to promote; step 5 of 5, Promoted'],
    ['promote', 'aborted', 'nothing', 'promote: there is nothing to promote; step 1 of 1, Aborted'],
    ['undo', 'pause', 'nothing', 'undo: nothing was written; step 2 of 5, Paused'],
    ['undo', 'promoted', 'byOthers', `undo: the source was changed by others; ${REVERT}; step 5 of 5, Promoted`],
    ['undo', 'undoing', 'written', 'undo: it is being undone; step 1 of 2, Undoing'],
    ['retry', 'weight', 'nothing', 'retry: the run was not aborted; step 1 of 5, Progressing'],
    ['retry', 'aborting', 'nothing', 'retry: the run is still on its way back; repeat it later; step 1 of 1, Aborting'],
    ['retry', 'promoted', 'written', 'retry: the run was not aborted; step 5 of 5, Promoted'],
  ]
  for (const [verb, at, promotion, message] of cases)
    it(`is refused: ${verb} at ${at} (${promotion})`, () =>
      expect(said(verb, at, promotion)).to.deep.equal({ is: 'Refused', message }))

  it('is done: abort, where others have taken their change back', () => {
    const seen = { now: NOW, promotion: PROMOTIONS.byOthers, mayHaveWritten: false }
    const steps = compileSteps(runSpec, 'Forward')
    expect(resultOfCommand({ verb: 'abort' }, RUNS.promote, steps, seen)).to.include({ is: 'Done', reason: 'Aborted' })
  })

  it('never moves a run that has the change of the source back to no pods', () => {
    const states = (Object.keys(RUNS) as At[]).filter((at) => at !== 'undoing')
    for (const at of states)
      for (const promotion of ['recorded', 'written', 'byOthers'] as const)
        expect(said('abort', at, promotion), `${at}, ${promotion}`).to.include({ is: 'Refused' })
  })
})

describe('the stamp of a command', () => {
  const resume = (stamp: Partial<Command['stamp']>): CommandResult =>
    answer({ verb: 'resume', stamp: { ...stampFor(RUNS.pause), ...stamp } }, RUNS.pause)

  it('is stale: its author saw another step', () => {
    expect(resume({ step: 0 })).to.deep.equal({
      is: 'Stale',
      message: 'resume was given at step 1; the run is at step 2 of 5, Paused; repeat it if you still mean it',
    })
    expect(resume({ step: 2 })).to.include({ is: 'Stale' })
  })

  it('is stale: its author saw another revision', () =>
    expect(resume({ revision: 'ffffffffff' })).to.include({ is: 'Stale' }))

  it('is stale: the step began anew since then', () => {
    const at = '2026-11-21T13:58:59.999Z'
    expect(resume({ at })).to.deep.equal({
      is: 'Stale',
      message: 'resume was given before the present step began; repeat it if you still mean it',
    })
  })

  it('is not stale by the difference of two clocks, up to a minute', () =>
    expect(resume({ at: '2026-11-21T13:59:00.000Z' })).to.include({ is: 'Done' }))

  it('is not stale because the clock was ahead when the step began', () => {
    const run = { ...RUNS.pause, since: '2026-11-21T15:00:00.000Z' }
    expect(answer({ verb: 'resume', stamp: stampFor(run) }, run)).to.include({ is: 'Done' })
  })

  it('unstamped: refuses everything but pause and abort', () => {
    const verbs = COMMAND_VERBS.filter((verb) => answer({ verb }, RUNS.pause).is === 'Done')
    expect(verbs).to.deep.equal(['pause', 'abort'])
    expect(answer({ verb: 'resume' }, RUNS.pause)).to.deep.equal({
      is: 'Refused',
      message:
        'resume must be set while the webhook is running, which checks your permissions; remove the annotation and set it again',
    })
  })

  it('does not matter for pause and abort, which mean every step', () => {
    const stamp = { step: 0, revision: 'ffff', at: '2020-01-01T00:00:00.000Z' }
    for (const verb of ['pause', 'abort'] as const)
      expect(answer({ verb, stamp }, RUNS.pause)).to.include({ is: 'Done' })
  })
})

const RUN: Run = {
  run: 'aaaa',
  revision: '1f2e3d4c5b',
  path: 'Forward',
  stepIndex: 0,
  since: '2026-11-21T14:00:00.000Z',
}

describe('a command in an experiment that was restored from a backup', () => {
  const restored = (verb: CommandVerb, createdAt: string) => {
    const command: Command = { verb, stamp: { step: 0, revision: RUN.revision, at: AT } }
    const seen = { now: new Date('2026-11-21T14:10:00.000Z'), promotion: undefined, mayHaveWritten: false, createdAt }
    return resultOfCommand(command, RUN, [{ is: 'pause' }], seen)
  }

  for (const verb of ['pause', 'abort'] as const) {
    it(`is stale: ${verb}`, () =>
      expect(restored(verb, '2026-11-21T14:06:04Z')).to.deep.equal({
        is: 'Stale',
        message: `${verb} was given before the experiment was created; repeat it if you still mean it`,
      }))

    it(`is not stale by the difference of two clocks, up to a minute: ${verb}`, () =>
      expect(restored(verb, '2026-11-21T14:06:03Z')).to.include({ is: 'Done' }))
  }
})
