import { expect } from 'chai'
import { COMMAND, COMMAND_SAW } from '../../../common/api/names.ts'
import type { SeenSource } from '../../../common/api/strategy.ts'
import { compileSteps } from '../../../common/strategy/compile.ts'
import type { Run } from '../../../common/strategy/run.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { sawAfter, stamped } from '../../../webhook/review/command.ts'
import { type CommandedRun, commandErrors } from '../../../webhook/review/command-errors.ts'
import { anExperiment } from '../../builders.ts'
import { aRequest } from '../reviews.ts'

const NOW = new Date('2026-11-21T14:05:03.120Z')
const [LONG_AGO, JUST_NOW] = ['2026-11-21T14:00:00.000Z', '2026-11-21T14:05:02.920Z']
const strategy = { canary: { steps: [{ setWeight: 10 }, { pause: {} }, { setWeight: 20 }, { pause: {} }] } }
const { spec } = anExperiment({ strategy })
const runSpec = strategyRunSpec(spec) ?? expect.fail('there is a strategy')

const aRun = (of: Partial<Run> = {}): Run => ({
  run: 'aaaa',
  revision: '1f2e3d4c5b',
  path: 'Forward',
  stepIndex: 1,
  since: LONG_AGO,
  ...of,
})
const resumed = { verb: 'resume', at: JUST_NOW, answer: 'Done', message: '' } as const

interface Given {
  readonly run?: Run
  /** the annotations that are stored already */
  readonly before?: Readonly<Record<string, string>>
  /** the hash that the mutating webhook found */
  readonly values?: string
  readonly sourceNow?: () => SeenSource | undefined
  readonly now?: Date
}

/** What both webhooks answer to the command `text`: its mistakes, and the annotations that it gets. */
function answer(text: string, { run = aRun(), before = {}, values, sourceNow, now = NOW }: Given = {}) {
  const of = (annotations: Readonly<Record<string, string>>) => ({
    ...anExperiment({ metadata: { annotations }, strategy }),
    status: { strategy: run },
  })
  const said = { ...before, [COMMAND]: text }
  const sent = aRequest({ object: of(said), oldObject: of(before) })
  const added = { ...said, ...stamped(sent, now), [COMMAND_SAW]: sawAfter(sent, now, values) }
  const annotations = Object.fromEntries(
    Object.entries(added).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const request = aRequest({ object: of(annotations), oldObject: of(before) })
  const seen = sourceNow ? { sourceNow } : {}
  const steps = compileSteps(runSpec, 'Forward')
  const commanded: CommandedRun = { run, steps, promotion: undefined, mayHaveWritten: false, ...seen }
  return { annotations, mistakes: commandErrors(request, commanded, now).map(({ message }) => message) }
}
const mistakes = (text: string, given?: Given) => answer(text, given).mistakes

describe('a command that the API server repeats, because two were given at one moment', () => {
  const atNextPause = aRun({ stepIndex: 3, since: JUST_NOW, command: resumed })

  it('N7: is refused at the next pause, with the present step', () =>
    expect(mistakes('resume', { run: atNextPause })).to.deep.equal([
      'resume: the run came to step 4 of 7, Paused, less than three seconds ago; repeat it, or write resume step=4',
    ]))

  it('N7: is admitted where it names the step, and refused where it names another one', () => {
    expect(mistakes('resume step=4', { run: atNextPause })).to.deep.equal([])
    expect(mistakes('resume step=2', { run: atNextPause })).to.deep.equal([
      'resume names step 2, and the run is at step 4 of 7, Paused',
    ])
    expect(mistakes('promote step=2', { run: atNextPause })).to.have.lengthOf(1)
  })

  it('N7: keeps the form of its stamp where it names the step, which the former version reads', () => {
    const { annotations } = answer('resume step=2')
    const stamp = `step=1 revision=1f2e3d4c5b at=${NOW.toISOString()}`
    expect(annotations[COMMAND]).to.equal(`resume ${stamp}`)
    expect(annotations[COMMAND_SAW]).to.equal(`at=${NOW.toISOString()} step=1 named=step`)
  })

  it('N7: is refused while the first one waits for the controller, at the same step', () => {
    const { annotations: before } = answer('resume')
    const given = ['resume was given already, at step 2 of 7, Paused, and is about to be carried out']
    const now = new Date(NOW.getTime() + 5)
    for (const text of ['resume', 'resume step=2']) expect(mistakes(text, { before, now })).to.deep.equal(given)
    expect(mistakes('promote', { before, now })).to.deep.equal([])
    expect(mistakes('abort', { before: answer('abort').annotations, now })).to.deep.equal([])
  })

  it('N7: is admitted where the first one was answered, or will not be obeyed', () => {
    const { annotations: before } = answer('resume')
    const refused = { ...resumed, at: NOW.toISOString(), answer: 'Refused' } as const
    expect(mistakes('resume', { before, run: aRun({ command: refused }) })).to.deep.equal([])
    expect(mistakes('resume', { before, run: aRun({ stepIndex: 3 }) })).to.deep.equal([])
  })
})

describe('a promotion whose source changes at that moment', () => {
  it('N12: is refused, because its plan shows what its author did not promote', () => {
    const sourceNow = () => ({ values: 'b' })
    expect(mistakes('promote', { values: 'b', sourceNow })).to.deep.equal([])
    expect(mistakes('promote', { values: 'a', sourceNow })).to.deep.equal([
      'promote: somebody changed the source at this moment; repeat it',
    ])
    expect(mistakes('resume', { sourceNow })).to.deep.equal([])
  })

  it('N12: has what its author saw beside the stamp', () =>
    expect(answer('promote', { values: 'ab' }).annotations[COMMAND_SAW]).to.equal(
      `at=${NOW.toISOString()} step=1 values=ab`,
    ))
})
