import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { type CountedPod, type GatedFork, gatedHealth } from '../../../common/fork/gated-health.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, aRollout, aStatefulSet } from '../../builders.ts'

const APPLIED = '2026-11-21T10:00:00Z'
const SOON = new Date('2026-11-21T10:00:05Z')

/** `workload` as this controller applied it, with two pods and this status. */
const observed = (workload: KubeObject, status: JsonObject = {}): KubeObject => ({
  ...workload,
  metadata: {
    namespace: 'shop',
    name: 'cart',
    generation: 1,
    managedFields: [{ manager: 'experiment-controller', operation: 'Apply', time: APPLIED }],
  },
  status: { observedGeneration: 1, ...status },
})
const TWO = { spec: { replicas: 2 } }
/** A Deployment of two pods, of which none counts as available. */
const SHUT = observed(aDeployment(TWO), { replicas: 2, updatedReplicas: 2, unavailableReplicas: 2 })

const pod = (of: Partial<CountedPod> = {}): CountedPod => ({
  revision: 'new',
  hasReadyContainers: true,
  isOpen: false,
  isBeingDeleted: false,
  ...of,
})
const [ungated, open, former, unready, going] = [
  pod({ revision: '', isOpen: true, isUngated: true }),
  pod({ isOpen: true }),
  pod({ revision: 'old' }),
  pod({ hasReadyContainers: false }),
  pod({ isBeingDeleted: true }),
]
const gated = (pods: readonly CountedPod[], of: Partial<GatedFork> = {}): GatedFork => ({
  pods,
  wanted: 2,
  revision: 'new',
  progressDeadlineSeconds: undefined,
  ...of,
})
const health = (pods: readonly CountedPod[], of?: Partial<GatedFork>, now = SOON, fork = SHUT) =>
  gatedHealth(deployment, fork, now, gated(pods, of))

describe('the health of a gated fork', () => {
  const READY = 'ready Available: 2 of 2 pods have ready containers'
  const PROGRESSING = 'progressing PodsNotReady:'
  const cases: Readonly<Record<string, { readonly pods: readonly CountedPod[]; readonly expected: string }>> = {
    'is ready while all of its pods are shut': { pods: [pod(), pod()], expected: `${READY}, none open` },
    'is ready while some are open': { pods: [pod(), open], expected: `${READY}, 1 open` },
    'does not count pods that are being deleted': { pods: [pod(), pod(), going], expected: `${READY}, none open` },
    'is not ready until the containers of all are': {
      pods: [open, unready],
      expected: `${PROGRESSING} 1 of 2 pods have ready containers, 1 open`,
    },
    'is not ready until all are of the present revision': {
      pods: [pod(), former],
      expected: `${PROGRESSING} 1 of 2 pods have ready containers, none open, 1 of 2 up to date`,
    },
    'is not ready until those of a former revision are gone': {
      pods: [pod(), pod(), former],
      expected: `${PROGRESSING} 2 of 2 pods have ready containers, none open, 2 of 3 up to date`,
    },
    'N2: is not ready until those without a gate are gone': {
      pods: [pod(), pod(), ungated],
      expected: `${PROGRESSING} 2 of 2 pods have ready containers, 1 open, 1 without a gate`,
    },
    'N2: is not ready while somebody takes the gate from its pods': {
      pods: [pod(), { ...ungated, revision: 'new' }],
      expected: `${PROGRESSING} 1 of 2 pods have ready containers, 1 open, 1 without a gate`,
    },
    'is not ready until all are created': {
      pods: [],
      expected: `${PROGRESSING} 0 of 2 pods have ready containers, none open, none created yet`,
    },
    'is not ready while it has too many': {
      pods: [pod(), pod(), open],
      expected: `${PROGRESSING} 3 of 2 pods have ready containers, 1 open, 3 created`,
    },
  }
  for (const [sentence, { pods, expected }] of Object.entries(cases))
    it(sentence, () => {
      const { is, reason, message } = health(pods)
      expect(`${is} ${reason}: ${message}`).to.equal(expected)
    })

  it('is not ready without pods while those of a former revision go', () => {
    const emptied = observed(aDeployment({ spec: { replicas: 0 } }))
    expect(health([], {}, SOON, emptied)).to.include({ is: 'progressing', reason: 'PodsNotReady' })
    expect(health([], { wanted: 0 }, SOON, emptied)).to.include({ is: 'ready', reason: 'ScaledToZero' })
  })

  it('is not ready while it shall have another number of pods', () => {
    const scaled = observed(aDeployment({ spec: { replicas: 1 } }))
    expect(health([pod(), pod()], {}, SOON, scaled)).to.include({ is: 'progressing', reason: 'PodsNotReady' })
  })

  it('is stalled after the deadline of its base, or of Kubernetes', () => {
    const healthAfter = (seconds: number, deadline?: number) =>
      health([unready], { progressDeadlineSeconds: deadline }, new Date(Date.parse(APPLIED) + seconds * 1_000))
    expect(healthAfter(119, 120)).to.include({ is: 'progressing', recheckAfterMs: 1_000 })
    expect(healthAfter(120, 120)).to.deep.equal({
      is: 'stalled',
      isOverdue: true,
      reason: 'ProgressDeadlineExceeded',
      message:
        '0 of 2 pods have ready containers, none open, 1 created after 120 s; ' +
        'see its Events: kubectl describe deployment/cart --namespace=shop',
    })
    expect([healthAfter(599).is, healthAfter(600).is]).to.deep.equal(['progressing', 'stalled'])
  })

  it('is ready after the deadline, although no pod of a StatefulSet is', () => {
    const late = new Date(Date.parse(APPLIED) + 3_600_000)
    const fork = observed(aStatefulSet(TWO), { replicas: 2, currentReplicas: 2, updatedReplicas: 2 })
    expect(gatedHealth(statefulSet, fork, late, gated([pod(), pod()]))).to.include({ is: 'ready' })
  })

  it('is what the workload says of anything but its pods', () => {
    const failing = { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }] }
    const paused = observed(aDeployment({ spec: { replicas: 2, paused: true } }))
    const invalid = { conditions: [{ type: 'InvalidSpec', status: 'True', message: 'bad' }], observedGeneration: '1' }
    const unseen = observed(aDeployment(TWO), { observedGeneration: 0 })
    const pods = gated([pod(), pod()])
    const found = [
      gatedHealth(deployment, observed(aDeployment(TWO), failing), SOON, pods),
      gatedHealth(deployment, paused, SOON, pods),
      gatedHealth(rollout, observed(aRollout({ replicas: 2 }), invalid), SOON, pods),
      gatedHealth(deployment, unseen, SOON, pods),
    ]
    expect(found.map(({ is, reason }) => `${is} ${reason}`)).to.deep.equal([
      'stalled ReplicaFailure',
      'unready Paused',
      'stalled InvalidSpec',
      'progressing Updating',
    ])
  })

  it('asks soon why a StatefulSet has no pods, and tells it', () => {
    const fork = observed(aStatefulSet(TWO))
    const at = (seconds: number) =>
      gatedHealth(
        statefulSet,
        fork,
        new Date(Date.parse(APPLIED) + seconds * 1_000),
        gated([], { podRefusal: 'exceeded quota' }),
      )
    expect(at(5)).to.include({ is: 'progressing', recheckAfterMs: 5_000 })
    expect(at(10)).to.include({ is: 'stalled', reason: 'ReplicaFailure', message: 'exceeded quota' })
  })
})
