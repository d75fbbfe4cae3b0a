import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { COMMAND, COMMAND_BY, REQUESTED_BY } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Components } from '../../common/facts/facts.ts'
import { missingApproval } from '../../common/policy/approval.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { runHash, shortRun } from '../../common/situation/run-hash.ts'
import { defaultsPatch } from '../../webhook/review/defaults-patch.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, imageOverride, installing } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, aService, linesOf, validatorDeps } from './reviews.ts'
import { revisionOf } from './stored.ts'
import { linesFor, policy } from './under-policies.ts'

const SCHEMA = deploymentSchema()
const REFUSAL = 'deployment/cart selects its pods by this label'

/** How many lines of the answer refuse the promotion of a label. */
async function refusals(object: ExperimentDeployment, oldObject: ExperimentDeployment): Promise<number> {
  const { kube } = aReader([aDeployment(), aService()])
  const lines = linesOf(await validator(validatorDeps(kube, SCHEMA))(aRequest({ object, oldObject })))
  return lines.filter((line) => line.includes(REFUSAL)).length
}

describe('the decision on a promotion that the source cannot take', () => {
  const strategy = { canary: {} }
  const overrideSpec = { template: { metadata: { labels: { app: 'other' } } } }
  const without = anExperiment({ overrideSpec, strategy })
  const promoted = anExperiment({ overrideSpec, strategy, promotion: {} })

  it('refuses it when the promotion is added', async () => expect(await refusals(promoted, without)).to.equal(1))

  it('refuses it when the override is changed', async () =>
    expect(await refusals(promoted, anExperiment({ strategy, promotion: {} }))).to.equal(1))

  it('refuses the command "promote" to an experiment whose spec does not speak of a promotion', async () => {
    const saying = (annotations: Record<string, string>) => ({
      ...without,
      metadata: { ...without.metadata, annotations },
    })
    expect(await refusals(saying({ [COMMAND]: 'promote' }), without)).to.equal(1)
    expect(await refusals(saying({ [COMMAND]: 'pause' }), without)).to.equal(0)
    expect(await refusals(saying({ [COMMAND]: 'promote', a: 'b' }), saying({ [COMMAND]: 'promote' }))).to.equal(0)
  })

  it('allows it without a promotion, and an update that changes neither', async () => {
    expect(await refusals(without, anExperiment({ strategy }))).to.equal(0)
    expect(await refusals({ ...promoted, metadata: { ...promoted.metadata, labels: { a: 'b' } } }, promoted)).to.equal(
      0,
    )
  })
})

describe('the plan of a promotion', () => {
  it('says who writes the source', async () => {
    const { kube } = aReader([aDeployment(), aService()])
    const object = anExperiment({ strategy: { canary: {} } })
    const lineIf = async (installed: Components) => {
      const review = validator({ ...validatorDeps(kube, SCHEMA), installed })
      return linesOf(await review(aRequest({ object }))).find((line) => line.startsWith('[Plan] promote: '))
    }
    expect(await lineIf(installing('promotion'))).to.contain('promote: writes deployment/cart;')
    expect(await lineIf(installing())).to.contain('promote: waits until deployment/cart has the change;')
  })
})

describe('the decision on a promotion that somebody else must approve', () => {
  const strategy = { canary: { steps: [{ setWeight: 50 }] } }
  const REVISION = revisionOf(anExperiment({ strategy, promotion: { mode: 'Manual' } }))
  const WHOLE = REVISION.padEnd(64, '0')
  const [NOON, BEFORE] = ['2026-11-21T12:00:00.000Z', '2026-11-21T11:00:00.000Z']
  const promote = (at: string) => `promote step=1 revision=${REVISION} at=${at}`

  interface At {
    readonly requester?: string
    readonly command?: string
    readonly by?: string
    readonly approved?: string
    readonly replicas?: number
  }

  /** An experiment whose run waits to be promoted. */
  function waiting({ requester = 'alice', command, by, approved, replicas = 1 }: At = {}): ExperimentDeployment {
    const promotion = { mode: 'Manual', ...(approved === undefined ? {} : { approvedRevision: approved }) } as const
    const annotations = {
      [REQUESTED_BY]: requester,
      ...(command === undefined ? {} : { [COMMAND]: command }),
      ...(by === undefined ? {} : { [COMMAND_BY]: by }),
    }
    const experiment = anExperiment({ strategy, promotion, replicas, metadata: { annotations } })
    const run = {
      run: shortRun(runHash(experiment)),
      wholeRun: runHash(experiment),
      revision: REVISION,
      wholeRevision: WHOLE,
      path: 'Forward',
      stepIndex: 1,
      since: BEFORE,
    } as const
    const answered = { verb: 'promote', at: BEFORE, answer: 'Done', message: 'promotes' } as const
    const step = { phase: 'Paused', stepName: 'await', step: '1/4 Paused' } as const
    return { ...experiment, status: { ...experiment.status, strategy: { ...run, ...step, command: answered } } }
  }

  /** The refusals of an update by alice. */
  async function refused(now: At, before: At): Promise<readonly string[]> {
    const request = { object: { ...waiting(now) }, oldObject: { ...waiting(before) } }
    const lines = await linesFor({ policies: [policy({ approverNotRequester: true })], request })
    return lines.filter((line) => line.startsWith('metadata.') || line.startsWith('spec.'))
  }

  const SAME = 'somebody other than "alice", who last changed the spec, must'
  const PROMOTE = [`metadata.annotations["${COMMAND}"]: ${SAME} promote it (policy "limits")`]
  const APPROVE = [
    `spec.promotion.approvedRevision: ${SAME} set it in a separate update, or give the command promote (policy "limits")`,
  ]
  const old = { command: promote(BEFORE), by: 'alice' }

  it('refuses the command of who changed the spec last, also the second time', async () => {
    expect(await refused({ command: promote(NOON), by: 'alice' }, {})).to.deep.equal(PROMOTE)
    expect(await refused({ command: promote(NOON), by: 'alice' }, old)).to.deep.equal(PROMOTE)
    expect(
      await refused({ command: promote(NOON), by: 'alice', requester: 'bob' }, { requester: 'bob' }),
    ).to.deep.equal([])
  })

  it('refuses the approval of who changed the spec last, in the same update or before', async () => {
    const approved = { approved: WHOLE, by: 'alice' }
    expect(await refused(approved, {})).to.deep.equal(APPROVE)
    expect(await refused({ ...approved, replicas: 2 }, { requester: 'bob' })).to.deep.equal(APPROVE)
    expect(await refused({ ...approved, requester: 'bob' }, { requester: 'bob' })).to.deep.equal([])
  })

  it('does not judge an earlier word when its author changes the spec', async () => {
    const before = { ...old, requester: 'bob' }
    expect(await refused({ ...old, replicas: 2 }, before)).to.deep.equal([])
    const approved = { approved: WHOLE, by: 'alice' }
    expect(await refused({ ...approved, replicas: 2 }, { ...approved, requester: 'bob' })).to.deep.equal([])
    const paused = { command: `pause step=1 revision=${REVISION} at=${NOON}`, by: 'alice' }
    expect(await refused({ ...approved, ...paused }, { ...approved, by: 'bob' })).to.deep.equal([])
  })

  it('does not take the author of a command that was removed for who approved', () => {
    const approved = { approved: WHOLE, by: 'bob' }
    const oldObject = waiting({ ...approved, command: `pause step=1 revision=${REVISION} at=${BEFORE}` })
    const object = waiting(approved)
    const patch = defaultsPatch(aRequest({ object, oldObject }), { now: new Date(NOON) })
    const { newDocument } = jsonPatch.applyPatch(structuredClone(object), patch as Operation[])
    for (const each of [oldObject, newDocument])
      expect(missingApproval(each, [])?.field).to.equal('spec.promotion.approvedRevision')
  })
})

describe('the decision on a promotion that names its revision', () => {
  const strategy = { canary: { steps: [{ setWeight: 50 }] } }
  const NOW = new Date('2026-11-21T12:00:00.000Z')
  const WAITS = { path: 'Forward', stepIndex: 1, since: NOW.toISOString(), phase: 'Paused', stepName: 'await' } as const

  /** An experiment as it is stored, whose run waits to be promoted. */
  const stored = (of: Parameters<typeof anExperiment>[0] = {}) => {
    const experiment = anExperiment({ strategy, overrideSpec: imageOverride('example/cart:2'), ...of })
    const run = { run: shortRun(runHash(experiment)), revision: revisionOf(experiment), step: '1/4 Paused' }
    return { ...experiment, status: { ...experiment.status, strategy: { ...run, ...WAITS } } }
  }
  /** The answer to `promote NAMED`, as both webhooks give it. */
  async function answer(named: string, of?: Parameters<typeof anExperiment>[0]): Promise<readonly string[]> {
    const [object, oldObject] = [stored(of), stored()]
    const said = { ...object.metadata, annotations: { [COMMAND]: `promote ${named}` } }
    const patch = defaultsPatch(aRequest({ object: { ...object, metadata: said }, oldObject }), { now: NOW })
    const { newDocument } = jsonPatch.applyPatch(structuredClone({ ...object, metadata: said }), patch as Operation[])
    return linesFor({ request: { object: newDocument as ExperimentDeployment, oldObject } })
  }
  const wholeIn = (lines: readonly string[]) => /[0-9a-f]{64}/.exec(lines.join())?.[0] ?? ''
  const FIELD = `metadata.annotations["${COMMAND}"]`

  it('N33: refuses ten digits, with the whole revision', async () => {
    const lines = await answer('1f2e3d4c5b')
    expect(lines).to.deep.equal([`${FIELD}: promote takes the whole revision: promote ${wholeIn(lines)}`])
    expect(wholeIn(lines)).to.have.lengthOf(64)
  })

  it('N33: allows the present one, and refuses it after an edit that nobody has looked at', async () => {
    const whole = wholeIn(await answer('1f2e3d4c5b'))
    expect((await answer(whole)).filter((line) => line.startsWith(FIELD))).to.deep.equal([])
    const lines = await answer(whole, { overrideSpec: imageOverride('example/evil:1') })
    const present = wholeIn(lines)
    expect(present).to.not.equal(whole)
    expect(lines).to.deep.equal([
      `${FIELD}: promote names another revision than the present one, which is ${present}; look at its plan first`,
    ])
  })
})

describe('the decision under a policy that wants another approver, when mutation was skipped and the user is alice', () => {
  const FOUR_EYES: ExperimentPolicySpec = { approverNotRequester: true }
  const promotion = { mode: 'Manual' } as const
  const by = (requester: string | undefined, spec: Parameters<typeof anExperiment>[0] = {}) =>
    anExperiment({
      promotion,
      ...spec,
      metadata: { annotations: requester === undefined ? {} : { [REQUESTED_BY]: requester } },
    })
  const NAME = `metadata.annotations["${REQUESTED_BY}"]`
  const EDIT = { overrideSpec: imageOverride('example/cart:2') }
  const refusals = async (object: ExperimentDeployment, limits = FOUR_EYES, oldObject = by('bob')) => {
    const lines = await linesFor({ policies: [policy(limits)], request: { object, oldObject } })
    return lines.filter((line) => line.startsWith(NAME))
  }

  it('refuses an edit of the spec that keeps the name of bob, because alice could then approve it', async () =>
    expect(await refusals(by('bob', EDIT))).to.deep.equal([
      `${NAME}: names an earlier requester, because the mutating webhook did not answer in time; repeat the change`,
    ]))

  it('allows an edit by whom the name says, and one without a name, which nobody can approve', async () => {
    expect(await refusals(by('alice', EDIT))).to.deep.equal([])
    expect(await refusals(by(undefined, EDIT))).to.deep.equal([])
    expect(await refusals(by(undefined, EDIT), FOUR_EYES, by(undefined))).to.deep.equal([])
  })

  it('allows an approval alone to keep the name', async () => {
    const approved = { promotion: { ...promotion, approvedRevision: '1f'.repeat(32) } }
    expect(await refusals(by('bob', approved))).to.deep.equal([])
    expect(await refusals(by('bob', { ...approved, ...EDIT }))).to.have.lengthOf(1)
  })

  it('allows an edit that keeps the name where no policy denies such an approval', async () => {
    expect(await refusals(by('bob', EDIT), {})).to.deep.equal([])
    expect(await refusals(by('bob', EDIT), { ...FOUR_EYES, validationActions: ['Warn'] })).to.deep.equal([])
  })
})
