import { expect } from 'chai'
import { COMMAND, COMMAND_BY, COMMAND_SAW, REQUESTED_BY } from '../../../common/api/names.ts'
import type { CommandStatus } from '../../../common/api/strategy.ts'
import { approverOf, unnamedPromotion } from '../../../common/policy/approval.ts'
import { anExperiment } from '../../builders.ts'

const REVISION = '1f2e3d4c5b'
const AT = '2026-11-21T10:00:00.000Z'
const stamped = (verb: string) => `${verb} step=1 revision=${REVISION} at=${AT}`
const CANARY = { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } as const

interface Given {
  readonly spec?: NonNullable<Parameters<typeof anExperiment>[0]>
  readonly command?: string
  readonly by?: string
  readonly step?: number | undefined
  readonly revision?: string
  readonly answered?: Partial<CommandStatus>
}

function anExperimentWith({ spec = { strategy: CANARY }, command, by, answered, ...given }: Given) {
  const { step, revision } = { step: 1, revision: REVISION, ...given }
  const annotations = {
    [REQUESTED_BY]: 'alice',
    ...(command === undefined ? {} : { [COMMAND]: command }),
    ...(by === undefined ? {} : { [COMMAND_BY]: by }),
  }
  const strategy = { run: 'r', revision, path: 'Forward', stepIndex: step, since: AT, command: answered }
  const status = step === undefined ? {} : { status: { strategy } }
  return { ...anExperiment({ ...spec, metadata: { annotations } }), ...status } as ReturnType<typeof anExperiment>
}
const promoting = { command: stamped('promote'), by: 'alice' }
const DONE = { verb: 'promote', at: AT, by: 'alice' }
const automatic = { spec: { strategy: CANARY, promotion: { mode: 'Automatic' } } } as const

describe('a promotion that does not name its revision', () => {
  const WHOLE = '1f'.repeat(32)
  const found = (saw: string, of: Given = promoting) => {
    const experiment = anExperimentWith(of)
    const annotations = { ...experiment.metadata.annotations, [COMMAND_SAW]: saw }
    const strategy = experiment.status?.strategy && { ...experiment.status.strategy, wholeRevision: WHOLE }
    const status = strategy ? { status: { strategy } } : {}
    return unnamedPromotion({ ...experiment, metadata: { ...experiment.metadata, annotations }, ...status })?.message
  }
  const UNNAMED = `must name the revision: promote ${WHOLE}`

  it('N33: is told, with the whole revision', () => {
    expect(found('')).to.equal(UNNAMED)
    expect(found(`at=${AT} step=1 revision=${WHOLE}`)).to.equal(UNNAMED)
    expect(found('', { ...promoting, answered: DONE })).to.equal(UNNAMED)
  })

  it('N33: is not told of one that names it, of other commands, and of what is over', () => {
    expect(found(`at=${AT} step=1 revision=${WHOLE} named=revision`)).to.equal(undefined)
    for (const of of [
      { command: stamped('resume'), by: 'alice' },
      { command: 'promote', by: 'alice' },
      { ...promoting, revision: 'ffff' },
      { ...promoting, step: undefined },
      { ...promoting, ...automatic, answered: DONE },
    ])
      expect(found('', of)).to.equal(undefined)
  })
})

describe('the approval of a whole revision', () => {
  const WHOLE = '1f'.repeat(32)
  const approving = (approvedRevision: string, remembered?: string) => {
    const experiment = anExperimentWith({ spec: { strategy: CANARY, promotion: { approvedRevision } }, by: 'bob' })
    const approvedBefore = remembered === undefined ? {} : { approvedRevision: remembered }
    const strategy = experiment.status?.strategy
    if (!strategy) throw new Error('there is a run')
    return approverOf({ ...experiment, status: { strategy: { ...strategy, wholeRevision: WHOLE, ...approvedBefore } } })
  }

  it('N31: counts, and ten digits only where the run remembers what they were', () => {
    expect(approving(WHOLE)).to.equal('bob')
    expect(approving(REVISION)).to.equal(undefined)
    expect(approving(REVISION, WHOLE)).to.equal('bob')
    expect(approving(REVISION, '2e'.repeat(32))).to.equal(undefined)
  })
})
