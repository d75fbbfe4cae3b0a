import { expect } from 'chai'
import { COMMAND, COMMAND_BY } from '../../../common/api/names.ts'
import { compileSteps } from '../../../common/strategy/compile.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { type CommandedRun, commandErrors } from '../../../webhook/review/command-errors.ts'
import { anExperiment } from '../../builders.ts'
import type { aRequest } from '../reviews.ts'
import { creating, NOW, ofKey, REVISION, STAMP, updating } from './saying.ts'

describe('the mistakes of a command', () => {
  const { spec } = anExperiment({ strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } })
  const runSpec = strategyRunSpec(spec)
  if (!runSpec) throw new Error('nothing to compile')
  const COMMANDED: CommandedRun = {
    run: { run: 'aaaa', revision: REVISION, path: 'Forward', stepIndex: 1, since: '2026-11-21T14:00:00.000Z' },
    steps: compileSteps(runSpec, 'Forward'),
    promotion: undefined,
    mayHaveWritten: false,
  }
  const mistakes = (request: ReturnType<typeof aRequest>, commanded: CommandedRun | undefined = COMMANDED) =>
    commandErrors(request, commanded, NOW).map(({ field, message }) => `${field}: ${message}`)
  const ofCommand = (message: string) => [`${ofKey(COMMAND)}: ${message}`]
  const FORGED = `${ofKey(COMMAND_BY)}: is set by the webhook to the author of the command; remove it`

  const FORGED_STAMP = `${ofKey(COMMAND_BY)}: is missing beside a stamp; set the command without a stamp`

  it('are none in a stamped command that fits', () => {
    expect(mistakes(updating({ command: `resume ${STAMP}`, by: 'alice' }))).to.deep.equal([])
    expect(mistakes(updating({ command: `abort ${STAMP}`, by: 'alice' }))).to.deep.equal([])
  })

  it('are none in a request without a command, or with the stored one', () => {
    expect(mistakes(creating({}))).to.deep.equal([])
    expect(mistakes(updating({}))).to.deep.equal([])
    const old = { command: 'resume step=0 revision=ffff at=2026-01-01T00:00:00.000Z', by: 'bob' }
    expect(mistakes(updating(old, old))).to.deep.equal([])
    expect(mistakes(updating({}, old))).to.deep.equal([])
  })

  it('are the word, if it is no command', () =>
    expect(mistakes(updating({ command: 'continue', by: 'alice' }))).to.deep.equal(
      ofCommand('is not a command; use pause, resume, promote, abort, undo or retry'),
    ))

  it('are a command to an experiment without a strategy', () =>
    expect(commandErrors(updating({ command: 'abort', by: 'alice' }), undefined, NOW)).to.deep.include.members([
      { field: ofKey(COMMAND), message: 'the experiment has no strategy; remove it', cause: 'FieldValueForbidden' },
    ]))

  it('are a command in a new experiment', () =>
    expect(mistakes(creating({ command: 'abort', by: 'alice' }))).to.deep.equal(
      ofCommand('nothing runs yet; remove it'),
    ))

  it('are a stamp that is missing: nothing is stored, so there is nothing to remove', () =>
    expect(mistakes(updating({ command: 'resume', by: 'alice' }))).to.deep.equal(
      ofCommand('resume was not stamped, because the mutating webhook did not answer in time; repeat it'),
    ))

  it('are a stamp that is missing, because the run has not begun', () =>
    expect(mistakes(updating({ command: 'resume', by: 'alice' }, {}, {}))).to.deep.equal(
      ofCommand('resume: the run has not begun; repeat it later'),
    ))

  it('are the author of an earlier command, whom the webhook was too slow to replace', () =>
    expect(mistakes(updating({ command: 'abort', by: 'bob' }, { command: 'pause', by: 'bob' }))).to.deep.equal([
      `${ofKey(COMMAND_BY)}: names an earlier author, because the mutating webhook did not answer in time; repeat the command`,
    ]))

  it('are a forged stamp: more than a minute old, or of the future', () => {
    for (const at of ['2026-11-21T14:04:03.119Z', '2026-11-21T14:06:03.121Z'])
      for (const verb of ['resume', 'abort'])
        expect(mistakes(updating({ command: `${verb} step=1 revision=${REVISION} at=${at}`, by: 'alice' })))
          .to //
          .deep.equal(ofCommand(`was not stamped in the last minute; use "${verb}" alone`))
    const oldest = `resume step=1 revision=${REVISION} at=2026-11-21T14:04:03.120Z`
    expect(mistakes(updating({ command: oldest, by: 'alice' }))).to.deep.equal([])
  })

  it('are a stale stamp: of another step, or of another revision', () => {
    const at = NOW.toISOString()
    for (const stamp of [`step=0 revision=${REVISION}`, 'step=1 revision=ffff'])
      expect(mistakes(updating({ command: `resume ${stamp} at=${at}`, by: 'alice' }))).to.have.length(1)
  })

  it('are a verb that does not fit', () =>
    expect(mistakes(updating({ command: `retry ${STAMP}`, by: 'alice' }))).to.deep.equal(
      ofCommand('retry: the run was not aborted; step 2 of 5, Paused'),
    ))

  it('are a forged author, with a new command, an old one, and none', () => {
    const old = { command: `resume ${STAMP}`, by: 'bob' }
    expect(mistakes(updating({ command: `resume ${STAMP}`, by: 'mallory' }))).to.deep.equal([FORGED])
    expect(mistakes(updating({ ...old, by: 'mallory' }, old))).to.deep.equal([FORGED])
    expect(mistakes(updating({ by: 'mallory' }))).to.deep.equal([FORGED])
    expect(mistakes(creating({ by: 'mallory' }))).to.deep.equal([FORGED])
  })

  it('are an author who stays without the command', () => {
    const old = { command: `resume ${STAMP}`, by: 'bob' }
    expect(mistakes(updating({ by: 'bob' }, old))).to.deep.equal([FORGED])
    expect(mistakes(updating({ by: 'bob' }, { by: 'bob' })), 'of an approval').to.deep.equal([])
  })

  it('are an author who is missing beside a stamp, which only the webhook sets', () => {
    const old = { command: `resume ${STAMP}`, by: 'bob' }
    expect(mistakes(updating({ command: `resume ${STAMP}` }))).to.deep.equal([FORGED_STAMP])
    expect(mistakes(updating({ command: old.command }, old))).to.deep.equal([FORGED_STAMP])
    expect(mistakes(updating({ command: 'pause' }))).to.deep.equal([])
  })

  it('are both, the author and the command', () =>
    expect(mistakes(updating({ command: 'continue', by: 'mallory' }))).to.have.length(2))
})
