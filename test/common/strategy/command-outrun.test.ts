import { expect } from 'chai'
import { COMMAND, COMMAND_SAW } from '../../../common/api/names.ts'
import { outrun, resultOfCommand } from '../../../common/strategy/command.ts'
import { type Command, commandIn, formatCommand, formatSaw, type Saw } from '../../../common/strategy/command-text.ts'
import type { RunStep } from '../../../common/strategy/compile.ts'
import type { Run } from '../../../common/strategy/run.ts'

const REVISION = '1f2e3d4c5b'
const [BEGAN, ANSWERED] = ['2026-11-21T14:05:00.000Z', '2026-11-21T14:04:59.800Z']
/** `ms` after the present step began. */
const later = (ms: number) => new Date(Date.parse(BEGAN) + ms)

const TWO_PAUSES: readonly RunStep[] = [
  { is: 'setWeight', weight: 10, field: '' },
  { is: 'pause' },
  { is: 'setWeight', weight: 20, field: '' },
  { is: 'pause' },
  { is: 'await' },
  { is: 'promote' },
]
const aRun = (of: Partial<Run> = {}): Run => ({
  run: 'aaaa',
  revision: REVISION,
  path: 'Forward',
  stepIndex: 3,
  since: BEGAN,
  ...of,
})
const by = (verb: string, answer: 'Done' | 'Refused' = 'Done', at = ANSWERED) =>
  ({ command: { verb, at, answer, message: '' } }) as const

/** `verb` as the webhook stamps it for `run`. */
function given(verb: 'resume' | 'promote' | 'undo', run: Run, at: Date, named?: Saw['named']): Command {
  const stamp = { step: run.stepIndex, revision: run.revision, at: at.toISOString() }
  const saw = { at: stamp.at, step: stamp.step, ...(named ? { named } : {}) }
  const found = commandIn({ [COMMAND]: formatCommand({ verb, stamp }), [COMMAND_SAW]: formatSaw(saw) })
  if (!found) throw new Error('it is a command')
  return found
}

describe('a command that names no step, just after the run came to one', () => {
  const said = (
    run: Run,
    at: Date,
    { verb = 'resume', named }: { verb?: 'resume' | 'promote'; named?: Saw['named'] } = {},
  ) => outrun(given(verb, run, at, named), run, TWO_PAUSES)
  const REFUSED =
    'resume: the run came to step 4 of 6, Paused, less than three seconds ago; repeat it, or write resume step=4'

  it('N7: is refused with the present step, where the same verb brought the run there', () => {
    expect(said(aRun(by('resume')), later(0))).to.equal(REFUSED)
    expect(said(aRun(by('resume')), later(2_999))).to.equal(REFUSED)
    expect(said(aRun(by('resume')), later(3_000))).to.equal(undefined)
    const promoted = aRun({ stepIndex: 5, ...by('promote') })
    expect(said(promoted, later(100), { verb: 'promote' })).to.contain('write promote step=6')
    expect(said(promoted, later(100), { verb: 'promote', named: 'revision' })).to.contain('write promote step=6')
  })

  it('N7: counts from the last command, too: the clock of the controller may be behind', () => {
    const at = later(60_000)
    expect(said(aRun(by('resume', 'Done', later(59_000).toISOString())), at)).to.equal(REFUSED)
    expect(said(aRun(by('resume', 'Done', later(50_000).toISOString())), at)).to.equal(undefined)
  })

  it('N7: is refused where the run passed another pause by itself, which may have been meant', () =>
    expect(said(aRun(), later(100))).to.equal(REFUSED))

  it('N7: is obeyed at the first pause, and after another command or one that was refused', () => {
    expect(said(aRun({ stepIndex: 1 }), later(0))).to.equal(undefined)
    expect(said(aRun({ stepIndex: 1, ...by('retry') }), later(0))).to.equal(undefined)
    expect(said(aRun({ stepIndex: 1, ...by('resume', 'Refused') }), later(0))).to.equal(undefined)
    expect(said(aRun({ stepIndex: 5, ...by('resume') }), later(0), { verb: 'promote' })).to.equal(undefined)
  })

  it('N7: is obeyed where it names the step', () =>
    expect(said(aRun(by('resume')), later(0), { named: 'step' })).to.equal(undefined))

  it('N7: is obeyed where an earlier version stamped it, or where twice is once', () => {
    const run = aRun(by('resume'))
    const { saw: _saw, ...former } = given('resume', run, later(0))
    expect(outrun(former, run, TWO_PAUSES)).to.equal(undefined)
    expect(outrun(given('undo', aRun(by('undo')), later(0)), aRun(by('undo')), TWO_PAUSES)).to.equal(undefined)
  })
})

describe('a command that names its step', () => {
  const answer = (run: Run, step: number) => {
    const seen = { now: later(10_000), promotion: undefined, mayHaveWritten: false }
    return resultOfCommand(given('resume', { ...run, stepIndex: step }, later(10_000), 'step'), run, TWO_PAUSES, seen)
  }

  it('N7: is obeyed at that step, and stale at every other one, which it tells', () => {
    expect(answer(aRun(), 3)).to.include({ is: 'Done' })
    expect(answer(aRun(), 1)).to.deep.equal({
      is: 'Stale',
      message: 'resume names step 2, and the run is at step 4 of 6, Paused',
    })
  })
})
