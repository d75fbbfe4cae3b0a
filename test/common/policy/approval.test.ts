import { expect } from 'chai'
import { COMMAND, COMMAND_BY, IS_PREVIEW, REQUESTED_BY } from '../../../common/api/names.ts'
import type { BlueGreenStrategy, CommandStatus } from '../../../common/api/strategy.ts'
import { approverOf, COMMAND_FIELD, missingApproval, unapprovedStrategy } from '../../../common/policy/approval.ts'
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
  /** the Services that their owners declared as previews; default: none */
  readonly previews?: readonly string[] | undefined
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
const RESUME_PROMOTES = `${COMMAND_FIELD}: ${BY_ALICE} resume it, because it promotes`
const PREVIEWS = 'because service/cart-preview then sends only to the fork'
const APPROVE = `spec.promotion.approvedRevision: ${BY_ALICE} set it in a separate update, or give the command promote`
const UNKNOWN =
  'the author of the last change of the spec is unknown; change it again, then another user can promote it'

const promoting = { command: stamped('promote'), by: 'alice' }
const DONE = { verb: 'promote', at: AT, by: 'alice' }
const approved = (mode: 'Manual' | 'Export' = 'Manual') => ({
  spec: { strategy: CANARY, promotion: { mode, approvedRevision: REVISION } },
})
const automatic = { spec: { strategy: CANARY, promotion: { mode: 'Automatic' } } } as const
const UNASKED = {
  spec: { strategy: { blueGreen: { activeService: 'cart', autoPromotionEnabled: true } } },
} as const
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
  'N34: a resume before the preview': [
    { ...blueGreen, command: stamped('resume', 0), step: 0 },
    `${COMMAND_FIELD}: ${BY_ALICE} resume it, ${PREVIEWS}`,
  ],
  'N34: a resume before the preview by somebody else': [
    { ...blueGreen, command: stamped('resume', 0), step: 0, by: 'bob' },
  ],
  'N34: a resume before a preview that its owner declared': [
    { ...blueGreen, command: stamped('resume', 0), step: 0, previews: ['cart-preview'] },
  ],
  'N34: a retry with a preview': [
    { ...blueGreen, command: stamped('retry', 2) },
    `${COMMAND_FIELD}: ${BY_ALICE} retry it, ${PREVIEWS}`,
  ],
  'N34: a retry of a blue-green that asks nobody': [
    { ...blueGreen, ...UNASKED, command: stamped('retry', 2) },
    `${COMMAND_FIELD}: ${BY_ALICE} retry it, because it cuts over`,
  ],
  'N32: a resume at the promotion': [{ command: stamped('resume', 3), by: 'alice', step: 3 }, RESUME_PROMOTES],
  'N32: a resume at the promotion by somebody else': [{ command: stamped('resume', 3), by: 'bob', step: 3 }],
  'N32: a resume at the promotion that was answered, until the source is written': [
    { command: stamped('resume', 3), by: 'alice', step: 3, answered: { ...DONE, verb: 'resume' } },
    RESUME_PROMOTES,
  ],
  'N32: a resume into an automatic promotion': [
    { ...automatic, command: stamped('resume'), by: 'alice' },
    RESUME_PROMOTES,
  ],
  'N32: a resume into an automatic promotion that was answered': [
    { ...automatic, command: stamped('resume'), by: 'alice', answered: { ...DONE, verb: 'resume' } },
  ],
  'N32: a resume of an approved revision': [
    { ...approved(), command: stamped('resume'), by: 'alice' },
    RESUME_PROMOTES,
  ],
  'N32: a resume of an approved revision by somebody else, also later': [
    { ...approved(), command: stamped('resume'), by: 'bob', step: 3, answered: { ...DONE, verb: 'resume' } },
  ],
  'N32: an undo, which gives the former values back': [{ command: stamped('undo', 3), by: 'alice', step: 3 }],
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
  for (const [sentence, [given, expected]] of Object.entries(cases)) {
    const [row = ''] = /^N\d+: /.exec(sentence) ?? []
    it(`${row}${expected === undefined ? 'is not' : 'is'} told of ${sentence.slice(row.length)}`, () => {
      const error = missingApproval(anExperimentWith(given), given.previews ?? [])
      expect(error && `${error.field}: ${error.message}`).to.equal(expected)
    })
  }
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

describe('a strategy that asks nobody but its author', () => {
  const told = (blueGreen: BlueGreenStrategy, previews: readonly string[] | undefined = ['cart-preview']) =>
    unapprovedStrategy(anExperiment({ strategy: { blueGreen } }), previews).map(
      ({ field, message }) => `${field}: ${message}`,
    )
  const FIELD = 'spec.strategy.blueGreen'
  const CUT_OVER = `${FIELD}.autoPromotionEnabled: nobody else is asked before the cut-over of service/cart; set it to false; another user gives resume`
  const PREVIEW = `${FIELD}.previewService: nobody else is asked before service/cart-preview sends only to the fork`
  const { blueGreen } = BLUE_GREEN

  it('N34: is told of a cut-over without another word, also by default', () => {
    expect(told({ ...blueGreen, autoPromotionEnabled: true })).to.deep.equal([CUT_OVER])
    expect(told({ ...blueGreen, autoPromotionEnabled: true, autoPromotionSeconds: 600 })).to.deep.equal([CUT_OVER])
    expect(told({ activeService: 'cart' })).to.deep.equal([CUT_OVER])
    expect(told({ activeService: 'cart', autoPromotionEnabled: false })).to.deep.equal([])
    expect(told(blueGreen)).to.deep.equal([])
  })

  it('N34: is told of a preview that its owner did not declare, or of which that is not known', () => {
    const remedy = `its owner can declare it as a preview, by the annotation ${IS_PREVIEW}: "true"`
    expect(told(blueGreen, ['other'])).to.deep.equal([`${PREVIEW}; ${remedy}`])
    expect(
      unapprovedStrategy(anExperiment({ strategy: BLUE_GREEN }), undefined).map(({ message }) => message),
    ).to.match(/is not known; create the source first, or try again$/)
  })

  it('N34: is no other strategy', () => {
    expect(unapprovedStrategy(anExperiment({ strategy: CANARY, promotion: { mode: 'Automatic' } }), [])).to.deep.equal(
      [],
    )
    expect(unapprovedStrategy(anExperiment(), [])).to.deep.equal([])
  })
})
