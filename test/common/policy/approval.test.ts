import { expect } from 'chai'
import { COMMAND, COMMAND_BY, REQUESTED_BY } from '../../../common/api/names.ts'
import type { CommandStatus } from '../../../common/api/strategy.ts'
import { approverOf, COMMAND_FIELD, missingApproval } from '../../../common/policy/approval.ts'
import { anExperiment } from '../../builders.ts'

type SpecOf = NonNullable<Parameters<typeof anExperiment>[0]>

const REVISION = '1f2e3d4c5b'
const AT = '2026-11-21T10:00:00.000Z'
const stamped = (verb: string, step = 1) => `${verb} step=${step} revision=${REVISION} at=${AT}`
const CANARY = { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } as const
/** Its steps: size, preview, pause, size, cutOver, pause 30s, await, promote, return, drain. */
const BLUE_GREEN = { blueGreen: { activeService: 'cart', previewService: 'cart-preview' } } as const

interface Given {
  readonly spec?: SpecOf
  readonly command?: string
  readonly by?: string
  /** the last change of the spec; default: by alice */
  readonly requester?: string | undefined
  /** the present step; undefined: the run has no status yet */
  readonly step?: number | undefined
  readonly revision?: string
  readonly answered?: Partial<CommandStatus>
}

function anExperimentWith({ spec = { strategy: CANARY }, command, by, ...given }: Given) {
  const { requester, step, revision, answered }: Given = { requester: 'alice', step: 1, revision: REVISION, ...given }
  const annotations = {
    ...(requester === undefined ? {} : { [REQUESTED_BY]: requester }),
    ...(command === undefined ? {} : { [COMMAND]: command }),
    ...(by === undefined ? {} : { [COMMAND_BY]: by }),
  }
  const strategy = { run: 'r', revision, path: 'Forward', stepIndex: step, since: AT, command: answered }
  const status = step === undefined ? {} : { status: { strategy } }
  return { ...anExperiment({ ...spec, metadata: { annotations } }), ...status } as ReturnType<typeof anExperiment>
}

const BY_ALICE = 'somebody other than "alice", who last changed the spec, must'
const PROMOTE = `${COMMAND_FIELD}: ${BY_ALICE} promote it`
const RESUME = `${COMMAND_FIELD}: ${BY_ALICE} resume it, because it cuts over`
const APPROVE = `spec.promotion.approvedRevision: ${BY_ALICE} set it in a separate update, or give the command promote`
const UNKNOWN =
  'the author of the last change of the spec is unknown; change it again, then another user can promote it'

const promoting = { command: stamped('promote'), by: 'alice' }
const DONE = { verb: 'promote', at: AT, by: 'alice' }
const approved = (mode: 'Manual' | 'Export' = 'Manual') => ({
  spec: { strategy: CANARY, promotion: { mode, approvedRevision: REVISION } },
})
const automatic = { spec: { strategy: CANARY, promotion: { mode: 'Automatic' } } } as const
const blueGreen = { spec: { strategy: BLUE_GREEN }, command: stamped('resume', 2), by: 'alice', step: 2 }

const cases: Readonly<Record<string, readonly [Given, string?]>> = {
  'a promote of who changed the spec': [promoting, PROMOTE],
  'a promote of somebody else': [{ ...promoting, by: 'bob' }],
  'a promote of nobody who is known': [{ command: stamped('promote') }, PROMOTE],
  'a promote while it is not known who changed the spec': [
    { ...promoting, by: 'bob', requester: undefined },
    `${COMMAND_FIELD}: ${UNKNOWN}`,
  ],
  'a promote of another revision': [{ ...promoting, revision: 'ffff' }],
  'a promote without a stamp, which is never obeyed': [{ command: 'promote', by: 'alice' }],
  'a promote without a run': [{ ...promoting, step: undefined }],
  'a promote without a strategy': [{ ...promoting, spec: {} }],
  'a promote that was answered, until the source is written': [{ ...promoting, answered: DONE }, PROMOTE],
  'a promote of a run that needs none': [{ ...promoting, ...automatic }, PROMOTE],
  'a promote that was answered, of a run that needs none': [{ ...promoting, ...automatic, answered: DONE }],
  'another command': [{ command: stamped('abort'), by: 'alice' }],
  'a resume of a canary': [{ command: stamped('resume'), by: 'alice' }],
  'a resume into a cut-over': [blueGreen, RESUME],
  'a resume into a cut-over by somebody else': [{ ...blueGreen, by: 'bob' }],
  'a resume at the cut-over': [{ ...blueGreen, command: stamped('resume', 4), step: 4 }, RESUME],
  'a resume before the preview': [{ ...blueGreen, command: stamped('resume', 0), step: 0 }],
  'a resume after the cut-over': [{ ...blueGreen, command: stamped('resume', 5), step: 5 }],
  'a resume of another step': [{ ...blueGreen, step: 3 }],
  'a resume that was answered': [{ ...blueGreen, answered: { ...DONE, verb: 'resume' } }],
  'an approval of who changed the spec': [{ ...approved(), by: 'alice' }, APPROVE],
  'an approval of somebody else': [{ ...approved(), by: 'bob' }],
  'an approval of nobody who is known': [approved(), APPROVE],
  'an approval before a command, whose author is known only': [
    { ...approved(), command: stamped('pause'), by: 'bob' },
    APPROVE,
  ],
  'an approval while it is not known who changed the spec': [
    { ...approved(), by: 'bob', requester: undefined },
    `spec.promotion.approvedRevision: ${UNKNOWN}`,
  ],
  'an approval of another revision': [{ ...approved(), by: 'alice', revision: 'ffff' }],
  'an approval before the run begins': [{ ...approved(), by: 'alice', step: undefined }, APPROVE],
  'an approval of a run that exports': [{ ...approved('Export'), by: 'alice' }],
  'an approval beside a promote of somebody else': [{ ...approved(), ...promoting, by: 'bob' }],
}

describe('an approval that is missing', () => {
  for (const [sentence, [given, expected]] of Object.entries(cases))
    it(`${expected === undefined ? 'is not' : 'is'} told of ${sentence}`, () => {
      const error = missingApproval(anExperimentWith(given))
      expect(error && `${error.field}: ${error.message}`).to.equal(expected)
    })
})

describe('who approved the present revision', () => {
  it('is the author of the approval', () =>
    expect(approverOf(anExperimentWith({ ...approved(), by: 'bob' }))).to.equal('bob'))

  it('is not known after a command, without an approval, or of another revision', () => {
    for (const given of [
      { ...approved(), command: stamped('pause') },
      {},
      { ...approved(), revision: 'ffff' },
      { ...approved(), step: undefined },
    ])
      expect(approverOf(anExperimentWith({ ...given, by: 'bob' }))).to.equal(undefined)
  })
})
