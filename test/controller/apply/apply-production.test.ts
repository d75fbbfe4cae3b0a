import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { known } from '../../../common/api/known.ts'
import { EXPERIMENT_ID, SERVICE } from '../../../common/api/names.ts'
import { waiting } from '../../../common/facts/decision.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import type { Write } from '../../../common/writes/write.ts'
import { apply } from '../../../controller/apply/apply.ts'
import { aRollout } from '../../builders.ts'
import { runState } from '../../common/of-facts.ts'
import { someFacts, theFork } from '../../common/plan/some-facts.ts'
import { aRunExperiment } from '../../common/plan/some-run.ts'

const FORK = theFork()
const ofService = (id: string | null): Write => ({
  verb: 'patch',
  role: 'service',
  resource: SERVICE,
  of: { ...FORK, kind: 'Service' },
  patch: { spec: { selector: { [EXPERIMENT_ID]: id } } },
})
const ofSource: Write = { verb: 'patch', role: 'source', resource: deployment, of: FORK, patch: { spec: {} } }

/** What is done for a write, and how the plan ends. */
async function applied(write: Write, isCurrent: boolean) {
  const diary: string[] = []
  const ports = {
    reserve: () => true,
    noteRepair: () => undefined,
    noteRefused: () => undefined,
    isCurrent: async () => {
      diary.push('read experiment')
      return isCurrent
    },
    write: async ({ verb, role }: Write) => {
      diary.push(`${verb} ${role}`)
      return undefined
    },
  }
  const conclusion = { ...waiting('Updating', 'created'), fork: undefined, source: undefined }
  const { is } = await apply(ports, { writes: [write], conclusion }, someFacts())
  return { diary, is }
}

describe('apply: a write that concerns production', () => {
  for (const write of [ofService('40390b55fa'), ofSource]) {
    it(`is made to the ${write.role} while the experiment is as it was observed`, async () =>
      expect(await applied(write, true)).to.deep.equal({
        diary: ['read experiment', `patch ${write.role}`],
        is: 'concluded',
      }))

    it(`is not made to the ${write.role} when somebody has changed the experiment since`, async () =>
      expect(await applied(write, false)).to.deep.equal({ diary: ['read experiment'], is: 'lookAgain' }))
  }

  it('N5: says what a person can do where the steps of a Rollout may not be skipped', async () => {
    const of = aRollout({ replicas: 4 })
    const status = { currentPodHash: 'new', stableRS: 'old' }
    const write: Write = {
      verb: 'patch',
      role: 'source',
      resource: rollout,
      of: { ...of, status },
      patch: { status: { promoteFull: true } },
      subresource: 'status',
    }
    const ports = {
      reserve: () => true,
      noteRepair: () => undefined,
      noteRefused: () => undefined,
      isCurrent: async () => true,
      write: () => Promise.reject(new KubeError({ kind: 'forbidden', message: 'rollouts/status is forbidden' })),
    }
    const conclusion = { ...waiting('Undoing', 'waits'), fork: undefined, source: undefined }
    const found = await apply(ports, { writes: [write], conclusion }, someFacts({ kind: known(rollout) }))
    expect(found.is === 'concluded' && found.conclusion.message).to.equal(
      'rollouts/status is forbidden; its own steps may hold it: kubectl argo rollouts promote cart --namespace=shop --full skips them',
    )
  })

  it('N11: moves the run as its plan says where the API server refuses it, and else tries again', async () => {
    const run = runState(someFacts({ experiment: aRunExperiment() }), FORK)
    if (!run) throw new Error('there is a run')
    const moved = (message: string) => ({ ...run, moved: { reason: 'Aborted' as const, message } })
    const conclusion = { ...waiting('Undoing', 'restores'), fork: undefined, source: undefined, run }
    const movesAfter = async (kind: KubeErrorKind) => {
      const write = () => Promise.reject(new KubeError({ kind, message: 'no' }))
      const ports = {
        reserve: () => true,
        noteRepair: () => undefined,
        noteRefused: () => undefined,
        isCurrent: async () => true,
        write,
      }
      const plan = { writes: [ofSource], conclusion, ifRefused: moved }
      const found = await apply(ports, plan, someFacts()).catch(() => undefined)
      return found?.is === 'concluded' && found.conclusion.run?.moved?.message
    }
    for (const kind of ['invalid', 'forbidden'] as const) expect(await movesAfter(kind), kind).to.equal('no')
    for (const kind of ['conflict', 'server', 'throttled', 'timeout', 'unreachable', 'unread'] as const)
      expect(await movesAfter(kind), kind).to.not.equal('no')
  })

  it('is made without a question where a Service is returned', async () =>
    expect(await applied(ofService(null), false)).to.deep.equal({ diary: ['patch service'], is: 'concluded' }))
})
