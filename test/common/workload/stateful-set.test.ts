import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { baseOf } from '../../../common/fork/base.ts'
import { derive } from '../../../common/fork/derive.ts'
import { forkHealth, mayBeRefusedPods } from '../../../common/fork/health.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { claimNames, statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, anExperiment, POD } from '../../builders.ts'

const aStatefulSet = (spec: JsonObject = {}): KubeObject => ({
  ...aDeployment({ spec: { serviceName: 'cart', ordinals: { start: 3 }, ...spec } }),
  kind: 'StatefulSet',
})

const claim = {
  metadata: { name: 'data', labels: { app: 'cart', 'controller-uid': 'x' }, creationTimestamp: null },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  status: { phase: 'Pending' },
}

function forkOf(source: KubeObject, overrideSpec: JsonObject = {}): KubeObject {
  const based = baseOf(statefulSet, { source, referents: [], shape: POD })
  if (based.is !== 'base') throw new Error('no base')
  const experiment = anExperiment({ overrideSpec })
  const derived = derive({ kind: statefulSet, experiment, base: based.base, schema: undefined, replicas: 1 })
  if (derived.is !== 'fork') throw new Error('no fork')
  return derived.fork
}

describe('statefulSet', () => {
  it('takes over ordinals and the service name, and nothing that delays changes', () => {
    const source = aStatefulSet({
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 5 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
    })
    expect(forkOf(source).spec).to.deep.include({
      serviceName: 'cart',
      ordinals: { start: 3 },
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate' },
      revisionHistoryLimit: 1,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    })
  })

  it('takes over claim templates, without their status and without tracking labels', () => {
    const fork = forkOf(aStatefulSet({ volumeClaimTemplates: [claim] }))
    expect(fork.spec).to.deep.include({
      volumeClaimTemplates: [{ metadata: { name: 'data', labels: { app: 'cart' } }, spec: claim.spec }],
    })
    expect(claimNames(fork)).to.deep.equal(['data'])
  })

  it('has one pod name and one ordinal as labels of each pod', () => {
    const hasLabel = statefulSet.podReach.hasPerPodLabel
    const source = aStatefulSet({ replicas: 2 })
    const name = 'statefulset.kubernetes.io/pod-name'
    const index = 'apps.kubernetes.io/pod-index'
    const has = ['cart-3', 'cart-4', 'cart-5', 'cart-2', 'other-3', 'cart-x'].filter((value) =>
      hasLabel(source, name, value),
    )
    expect(has).to.deep.equal(['cart-3', 'cart-4'])
    expect(['2', '3', '4', '5'].filter((value) => hasLabel(source, index, value))).to.deep.equal(['3', '4'])
    expect(hasLabel(source, 'app', '3')).to.equal(false)
  })
})

describe('the rollout of a StatefulSet', () => {
  const rolling = (rollingUpdate: JsonObject, replicas = 4) =>
    aStatefulSet({ replicas, updateStrategy: { type: 'RollingUpdate', rollingUpdate } })

  it('takes down one pod, or its maxUnavailable', () => {
    expect(statefulSet.takesDown(aStatefulSet({ replicas: 4 }))).to.equal(1)
    expect(statefulSet.takesDown(rolling({ partition: 0 }))).to.equal(1)
    expect(statefulSet.takesDown(rolling({ maxUnavailable: 3 }))).to.equal(3)
    expect(statefulSet.takesDown(rolling({ maxUnavailable: '30%' }))).to.equal(2)
    expect(statefulSet.takesDown(rolling({ maxUnavailable: '0%' }))).to.equal(1)
  })

  it('is held back by OnDelete and by a partition above 0', () => {
    expect(statefulSet.holdsBack(aStatefulSet({ updateStrategy: { type: 'OnDelete' } }))).to.equal(
      'spec.updateStrategy.type: OnDelete',
    )
    expect(statefulSet.holdsBack(rolling({ partition: 1 }))).to.equal('spec.updateStrategy.rollingUpdate.partition')
    expect(statefulSet.holdsBack(rolling({ partition: 0 }))).to.equal(undefined)
    expect(statefulSet.holdsBack(aStatefulSet())).to.equal(undefined)
  })
})

describe('the health of a StatefulSet', () => {
  const applied = '2026-11-21T10:00:00Z'
  const managedFields = [{ manager: 'experiment-controller', operation: 'Apply', time: applied }]
  const withStatus = (status: JsonObject): KubeObject => ({
    ...aStatefulSet({ replicas: 2 }),
    metadata: { name: 'cart', generation: 1, managedFields },
    status: { observedGeneration: 1, ...status },
  })
  const at = (seconds: number) => new Date(Date.parse(applied) + seconds * 1_000)
  const all = { readyReplicas: 2, currentReplicas: 2, updatedReplicas: 2 }
  const cases: Record<string, [status: JsonObject, afterSeconds: number, is: string, reason: string]> = {
    'is ready if all pods are ready and of one revision': [
      { ...all, currentRevision: 'a', updateRevision: 'a' },
      1,
      'ready',
      'Available',
    ],
    'is progressing while pods of two revisions run': [
      { ...all, currentRevision: 'a', updateRevision: 'b' },
      1,
      'progressing',
      'PodsNotReady',
    ],
    'is progressing for up to ten minutes': [{ readyReplicas: 1 }, 599, 'progressing', 'PodsNotReady'],
    'is stalled after ten minutes': [{ readyReplicas: 1 }, 600, 'stalled', 'ProgressDeadlineExceeded'],
  }
  for (const [sentence, [status, after, is, reason]] of Object.entries(cases))
    it(sentence, () => {
      const health = forkHealth(statefulSet, withStatus(status), at(after))
      expect([health.is, health.reason]).to.deep.equal([is, reason])
    })

  it('says when it may become stalled', () => {
    const health = forkHealth(statefulSet, withStatus({ replicas: 2 }), at(590))
    expect(health.is === 'progressing' && health.recheckAfterMs).to.equal(10_000)
  })

  it('is stalled with the cause if its pods are refused, whenever that is known', () => {
    for (const seconds of [10, 700]) {
      const health = forkHealth(statefulSet, withStatus({ replicas: 1 }), at(seconds), 'exceeded quota')
      expect(health).to.deep.equal({ is: 'stalled', reason: 'ReplicaFailure', message: 'exceeded quota' })
    }
  })

  it('asks for the cause ten seconds after an apply at the earliest, and only while pods are missing', () => {
    const asks = (status: JsonObject, seconds: number) => mayBeRefusedPods(statefulSet, withStatus(status), at(seconds))
    expect([asks({ replicas: 1 }, 9), asks({ replicas: 1 }, 10), asks({ replicas: 2 }, 10)]).to.deep.equal([
      false,
      true,
      false,
    ])
    expect(asks({ observedGeneration: 0 }, 60)).to.equal(false)
    const early = forkHealth(statefulSet, withStatus({ replicas: 1 }), at(4), 'exceeded quota')
    expect(early.is === 'progressing' && early.recheckAfterMs).to.equal(6_000)
  })

  it('does not call pods refused that are there', () => {
    const health = forkHealth(statefulSet, withStatus({ replicas: 2, readyReplicas: 1 }), at(60), 'exceeded quota')
    expect([health.is, health.reason]).to.deep.equal(['progressing', 'PodsNotReady'])
  })
})
