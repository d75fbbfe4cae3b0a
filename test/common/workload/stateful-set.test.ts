import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../common/api/object.ts'
import { baseOf } from '../../../common/workload/base.ts'
import { derive } from '../../../common/workload/desired.ts'
import { forkHealth } from '../../../common/workload/health.ts'
import { immutableChanges } from '../../../common/workload/immutable.ts'
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
  const derived = derive({ kind: statefulSet, experiment, base: based.base, schema: undefined })
  if (derived.is !== 'fork') throw new Error('no fork')
  return derived.fork
}

describe('a StatefulSet’s fork', () => {
  it('takes ordinals and service name over, and nothing that holds changes back', () => {
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

  it('makes claims of its own, without the status and tracking of the source’s', () => {
    const fork = forkOf(aStatefulSet({ volumeClaimTemplates: [claim] }))
    expect(fork.spec).to.deep.include({
      volumeClaimTemplates: [{ metadata: { name: 'data', labels: { app: 'cart' } }, spec: claim.spec }],
    })
    expect(claimNames(fork)).to.deep.equal(['data'])
  })

  it('may be changed in its template, and is told what no update can change', () => {
    const source = aStatefulSet({ volumeClaimTemplates: [claim] })
    const changed = { serviceName: 'other', minReadySeconds: 3, volumeClaimTemplates: [] }
    const found = immutableChanges(statefulSet, forkOf(source), forkOf(source, changed))
    expect(found.map(({ field }) => field)).to.deep.equal([
      'spec.overrideSpec.serviceName',
      'spec.overrideSpec.volumeClaimTemplates',
    ])
    expect(immutableChanges(statefulSet, forkOf(source), forkOf(source, { minReadySeconds: 9 }))).to.deep.equal([])
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
    'is available when all pods are of one revision and ready': [
      { ...all, currentRevision: 'a', updateRevision: 'a' },
      1,
      'ready',
      'Available',
    ],
    'waits while two revisions run': [
      { ...all, currentRevision: 'a', updateRevision: 'b' },
      1,
      'progressing',
      'PodsNotReady',
    ],
    'waits for its pods, up to ten minutes': [{ readyReplicas: 1 }, 599, 'progressing', 'PodsNotReady'],
    'stalls after ten minutes': [{ readyReplicas: 1 }, 600, 'stalled', 'ProgressDeadlineExceeded'],
  }
  for (const [sentence, [status, after, is, reason]] of Object.entries(cases))
    it(sentence, () => {
      const health = forkHealth(statefulSet, withStatus(status), at(after))
      expect([health.is, health.reason]).to.deep.equal([is, reason])
    })

  it('says when to look again', () => {
    const health = forkHealth(statefulSet, withStatus({}), at(590))
    expect(health.is === 'progressing' && health.lookAgainMs).to.equal(10_000)
  })
})
