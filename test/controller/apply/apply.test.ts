import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { waiting } from '../../../common/facts/decision.ts'
import type { RefusedFork } from '../../../common/facts/facts.ts'
import { forkHealth } from '../../../common/fork/health.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { Conclusion, Plan, Reservation } from '../../../common/outcome/conclusion.ts'
import { storedSource } from '../../../common/situation/source-has.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { Write } from '../../../common/writes/write.ts'
import { apply, type Result } from '../../../controller/apply/apply.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { runState } from '../../common/of-facts.ts'
import { someFacts, theFork } from '../../common/plan/some-facts.ts'

const FACTS = someFacts()
const FORK = theFork()
const CONCLUSION: Conclusion = { ...waiting('Updating', 'deployment/x: created'), fork: undefined, source: undefined }
const RESERVATION: Reservation = { replicas: 1, asOf: 7 }

const applyOf = (role: 'newFork' | 'fork' | 'newTwin' | 'twin', isRepair = false): Write => ({
  verb: 'apply',
  role,
  resource: deployment,
  object: FORK,
  isRepair,
  isSameDerivation: isRepair,
})
const scaleDown: Write = {
  verb: 'patch',
  role: 'fork',
  resource: deployment,
  of: FORK,
  patch: { spec: { replicas: 0 } },
}
const deleteFork: Write = { verb: 'delete', role: 'fork', resource: deployment, of: FORK }
const createBase: Write = { verb: 'create', role: 'base', resource: deployment, object: aDeployment() }
const patchExperiment: Write = {
  verb: 'patch',
  role: 'experiment',
  resource: deployment,
  of: { ...anExperiment(), metadata: anExperiment().metadata } as unknown as KubeObject,
  patch: {},
}

interface Given {
  readonly writes?: readonly Write[]
  readonly reservation?: Reservation
  /** what a write returns, by `verb role` */
  readonly stored?: Readonly<Record<string, KubeObject>>
  /** what a write throws, by `verb role` */
  readonly failures?: Readonly<Record<string, Error>>
  readonly isTaken?: boolean
  readonly conclusion?: Conclusion
  readonly healthOf?: Plan['healthOf']
}

/** Applies a plan, and keeps a diary of what it did. */
async function applied({ writes = [], reservation, stored = {}, failures = {}, isTaken = false, ...given }: Given) {
  const diary: string[] = []
  const healthOf = (fork: KubeObject) => forkHealth(deployment, fork, FACTS.now)
  const plan: Plan = { writes, conclusion: CONCLUSION, healthOf, ...given, ...(reservation ? { reservation } : {}) }
  const ports = {
    reserve: (_of: unknown, { replicas, asOf }: Reservation) => {
      diary.push(`reserve ${replicas} as of ${asOf}`)
      return !isTaken
    },
    noteRepair: () => void diary.push('repair'),
    noteRefused: ({ of, decision }: RefusedFork) => void diary.push(`refused ${of}: ${decision.message}`),
    isCurrent: async () => true,
    write: async ({ verb, role }: Write) => {
      diary.push(`${verb} ${role}`)
      const failure = failures[`${verb} ${role}`]
      if (failure) throw failure
      return stored[`${verb} ${role}`]
    },
  }
  let thrown: unknown
  const result = await apply(ports, plan, FACTS).catch((error: unknown): Result => {
    thrown = error
    return { is: 'lookAgain' }
  })
  return { diary, result, thrown, conclusion: result.is === 'concluded' ? result.conclusion : undefined }
}

const failure = (kind: KubeErrorKind) => new KubeError({ kind, message: `message of ${kind}` })

describe('apply', () => {
  it('makes the reservation first, then the writes in their order', async () => {
    const { diary, conclusion } = await applied({
      reservation: RESERVATION,
      writes: [patchExperiment, createBase, applyOf('newFork')],
    })
    expect(diary).to.deep.equal(['reserve 1 as of 7', 'patch experiment', 'create base', 'apply newFork'])
    expect(conclusion).to.deep.equal(CONCLUSION)
  })

  it('writes nothing when the reservation fails, and asks for new facts', async () => {
    const { diary, result } = await applied({ reservation: RESERVATION, isTaken: true, writes: [applyOf('newFork')] })
    expect([diary, result]).to.deep.equal([['reserve 1 as of 7'], { is: 'lookAgain' }])
  })

  it('notes a repair after it writes, and only for a repair', async () => {
    expect((await applied({ writes: [applyOf('fork', true)] })).diary).to.deep.equal(['apply fork', 'repair'])
    expect((await applied({ writes: [applyOf('fork')] })).diary).to.deep.equal(['apply fork'])
  })

  it('notes a repair that fails, unless the API server did not answer', async () => {
    const answers = ['conflict', 'invalid', 'server'] as const
    for (const kind of [...answers, 'timeout', 'unreachable', 'throttled'] as const) {
      const failures = { 'apply fork': failure(kind) }
      const { diary } = await applied({ writes: [applyOf('fork', true)], failures })
      expect(diary.includes('repair'), kind).to.equal(answers.some((answer) => answer === kind))
    }
  })

  describe('concludes', () => {
    it('R17: that the fork is contested, whatever its health is after the repair, of which the plan says nothing', async () => {
      const decision = waiting('Contested', 'another client keeps changing it')
      const conclusion = { ...CONCLUSION, ...decision }
      const { conclusion: after } = await applied({
        conclusion,
        writes: [applyOf('fork', true)],
        stored: { 'apply fork': FORK },
        healthOf: undefined,
      })
      expect(after).to.deep.equal({ ...conclusion, fork: FORK })
    })

    it('the health of the fork as stored after an apply', async () => {
      const { conclusion } = await applied({ writes: [applyOf('fork')], stored: { 'apply fork': FORK } })
      expect([conclusion?.is, conclusion?.reason, conclusion?.fork]).to.deep.equal(['settled', 'Available', FORK])
    })

    it('R2: what was repaired, when the fork is as ready as before', async () => {
      const { conclusion } = await applied({ writes: [applyOf('fork', true)], stored: { 'apply fork': FORK } })
      expect([conclusion?.reason, conclusion?.repaired]).to.deep.equal(['Available', 'deployment/x: created'])
      const { conclusion: other } = await applied({ writes: [applyOf('fork')], stored: { 'apply fork': FORK } })
      expect(other).to.not.have.property('repaired')
    })

    it('the message of the plan while the fork is updating', async () => {
      const { status: _status, ...fresh } = FORK
      const { conclusion } = await applied({ writes: [applyOf('newFork')], stored: { 'apply newFork': fresh } })
      expect([conclusion?.reason, conclusion?.message]).to.deep.equal(['Updating', 'deployment/x: created'])
    })

    it('what the plan says after a patch of the fork, with the fork as stored', async () => {
      const { conclusion } = await applied({ writes: [scaleDown], stored: { 'patch fork': FORK } })
      expect(conclusion).to.deep.equal({ ...CONCLUSION, fork: FORK })
    })

    it('what the plan says of the fork after an apply of the twin, with the twin as stored', async () => {
      const twin = aDeployment({ name: 'twin' })
      for (const role of ['newTwin', 'twin'] as const) {
        const { conclusion } = await applied({ writes: [applyOf(role)], stored: { [`apply ${role}`]: twin } })
        expect(conclusion).to.deep.equal({ ...CONCLUSION, twin })
      }
    })

    it('what the plan says after writes of other objects', async () => {
      const stored = { 'patch experiment': aDeployment(), 'create base': aDeployment() }
      const { conclusion } = await applied({ writes: [patchExperiment, createBase], stored })
      expect(conclusion).to.deep.equal(CONCLUSION)
    })

    it('which version of the source a promotion or an undo made, and not so of its status', async () => {
      const of = aDeployment({ metadata: { generation: 4 } })
      const writtenAfter = async (path: 'Forward' | 'Undo', subresource: { subresource?: 'status' } = {}) => {
        const write: Write = { verb: 'patch', role: 'source', resource: deployment, of, patch: {}, ...subresource }
        const state = runState(someFacts({ experiment: anExperiment({ promotion: {} }) }), undefined)
        if (!state) throw new Error('an experiment with a promotion has a run')
        const run = { ...state, run: { ...state.run, path }, promotion: { mode: 'Manual' as const } }
        const stored = { 'patch source': of }
        const { conclusion } = await applied({ writes: [write], stored, conclusion: { ...CONCLUSION, run } })
        return conclusion?.run?.promotion
      }
      expect(await writtenAfter('Forward')).to.deep.equal({ mode: 'Manual', written: storedSource(of) })
      expect(await writtenAfter('Undo')).to.deep.equal({ mode: 'Manual', restored: storedSource(of) })
      expect(await writtenAfter('Forward', { subresource: 'status' })).to.deep.equal({ mode: 'Manual' })
    })

    it('what the plan says after a delete', async () => {
      expect((await applied({ writes: [deleteFork] })).conclusion).to.deep.equal(CONCLUSION)
    })
  })

  describe('ends at a refused write', () => {
    const cases: Readonly<Record<string, readonly [Write, KubeErrorKind, is: string, reason: string]>> = {
      'with the message of the API server': [applyOf('newFork'), 'invalid', 'stalled', 'ApplyRefused'],
      'that the API server could not process': [applyOf('fork'), 'server', 'failed', 'ApplyFailed'],
      'because another object has the name': [applyOf('newFork'), 'alreadyExists', 'failed', 'NameConflict'],
      'of the experiment itself': [patchExperiment, 'forbidden', 'stalled', 'ApplyRefused'],
    }
    for (const [sentence, [write, kind, is, reason]] of Object.entries(cases))
      it(sentence, async () => {
        const failures = { [`${write.verb} ${write.role}`]: failure(kind) }
        const { diary, conclusion } = await applied({ writes: [write, deleteFork], failures })
        expect([conclusion?.is, conclusion?.reason, conclusion?.message]).to.deep.equal([
          is,
          reason,
          `message of ${kind}`,
        ])
        expect(diary).to.not.include('delete fork')
      })
  })

  it('keeps the fork in the conclusion when its delete is refused', async () => {
    const { conclusion } = await applied({ writes: [deleteFork], failures: { 'delete fork': failure('forbidden') } })
    expect([conclusion?.reason, conclusion?.fork]).to.deep.equal(['ApplyRefused', FORK])
  })

  it('M8: names the field of the override, not that of the fork', async () => {
    const message = 'spec.template.spec.containers[0].image: Invalid value'
    const failures = { 'apply newFork': new KubeError({ kind: 'invalid', message }) }
    const { conclusion } = await applied({ writes: [applyOf('newFork')], failures })
    expect(conclusion?.message).to.equal('spec.template.spec.containers[0].image (from the source): Invalid value')
  })

  describe('of a fork about which the API server decides', () => {
    const field = 'spec.overrideSpec.template.spec.containers[0].image'
    const doubt = { of: 'state', mistakes: [{ field, message: 'odd', cause: 'FieldValueInvalid' }] } as const
    const doubted = { ...applyOf('newFork'), doubt }

    const port = 'spec.overrideSpec.template.spec.containers[0].ports'
    const both = { of: 'state', mistakes: [...doubt.mistakes, { ...doubt.mistakes[0], field: port }] }

    it('notes its refusal, and explains the fields of the override that the message does not name', async () => {
      const failures = { 'apply newFork': new KubeError({ kind: 'invalid', message: `${field}: bad` }) }
      const { diary, conclusion } = await applied({
        writes: [{ ...applyOf('newFork'), doubt: both } as Write],
        failures,
      })
      expect([conclusion?.is, conclusion?.reason]).to.deep.equal(['stalled', 'ApplyRefused'])
      expect(conclusion?.message).to.equal(`${field}: bad; ${port}: odd`)
      expect(diary).to.deep.equal(['apply newFork', `refused state: ${conclusion?.message}`])
    })

    it('notes no refusal about anything else, such as that of an admission policy, and adds nothing to it', async () => {
      const failures = { 'apply newFork': failure('invalid') }
      const { diary, conclusion } = await applied({ writes: [doubted], failures })
      expect(conclusion?.message).to.equal('message of invalid')
      expect(diary).to.deep.equal(['apply newFork'])
    })

    it('adds nothing to a message that names the field', async () => {
      const failures = { 'apply newFork': new KubeError({ kind: 'invalid', message: `${field}: bad` }) }
      expect((await applied({ writes: [doubted], failures })).conclusion?.message).to.equal(`${field}: bad`)
    })

    it('notes no failure of another kind, and nothing if it is accepted', async () => {
      for (const kind of ['forbidden', 'server', 'timeout'] as const)
        expect(
          (await applied({ writes: [doubted], failures: { 'apply newFork': failure(kind) } })).diary,
        ).to.deep.equal(['apply newFork'])
      const { diary } = await applied({ writes: [doubted], stored: { 'apply newFork': FORK } })
      expect(diary).to.deep.equal(['apply newFork'])
    })

    it('notes no refusal where our rules find nothing wrong: what refused it may change soon', async () => {
      const { diary } = await applied({ writes: [applyOf('fork')], failures: { 'apply fork': failure('invalid') } })
      expect(diary).to.deep.equal(['apply fork'])
    })
  })

  it('tells that the name is taken only if another client owns fields, not if a quota was just changed', async () => {
    const outcomes: unknown[] = []
    for (const conflictOver of ['fields', 'object'] as const) {
      const error = new KubeError({ kind: 'conflict', message: 'no', conflictOver })
      const { conclusion, thrown } = await applied({
        writes: [applyOf('newFork')],
        failures: { 'apply newFork': error },
      })
      outcomes.push(thrown === error ? 'thrown' : conclusion?.reason)
    }
    expect(outcomes).to.deep.equal(['NameConflict', 'thrown'])
  })

  for (const error of [failure('unreachable'), failure('throttled'), new TypeError('a bug')])
    it(`throws ${error.message}, which says nothing to the user`, async () => {
      const { thrown } = await applied({ writes: [applyOf('fork')], failures: { 'apply fork': error } })
      expect(thrown).to.equal(error)
    })

  it('R14: tells that there was no answer in time, and that a webhook may be slow', async () => {
    const late = new KubeError({ kind: 'timeout', message: 'timed out after 30000 ms', attempted: 'apply /fork' })
    const { conclusion } = await applied({ writes: [applyOf('newFork')], failures: { 'apply newFork': late } })
    expect([conclusion?.is, conclusion?.reason, conclusion?.message]).to.deep.equal([
      'failed',
      'ApplyFailed',
      'no answer to apply /fork (timed out after 30000 ms); an admission webhook of this cluster may be slow',
    ])
  })

  it('throws a conflict of a fork that exists', async () => {
    const error = failure('conflict')
    expect((await applied({ writes: [applyOf('fork')], failures: { 'apply fork': error } })).thrown).to.equal(error)
  })
})
