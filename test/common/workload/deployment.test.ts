import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment } from '../../builders.ts'

interface Case {
  readonly spec?: JsonObject
  readonly status: JsonObject
  readonly is: string
  readonly reason: string
  readonly says?: string
}

const cases: Record<string, Case> = {
  'is progressing until its pods are available': {
    status: {},
    is: 'progressing',
    reason: 'PodsNotReady',
    says: '0 of 2 pods available, none created yet',
  },
  'is progressing until the pods of older revisions are gone': {
    status: { replicas: 3, updatedReplicas: 2, availableReplicas: 2 },
    is: 'progressing',
    reason: 'PodsNotReady',
    says: '2 of 2 pods available, 2 of 3 up to date',
  },
  'U3: does not count what is up to date when everything is': {
    status: { replicas: 2, updatedReplicas: 2, availableReplicas: 1 },
    is: 'progressing',
    reason: 'PodsNotReady',
    says: '1 of 2 pods available',
  },
  'U3: says how many of its pods were created': {
    status: { replicas: 1, updatedReplicas: 1 },
    is: 'progressing',
    reason: 'PodsNotReady',
    says: '0 of 2 pods available, 1 created',
  },
  'U3: says that surplus pods end': {
    status: { replicas: 5, updatedReplicas: 5, availableReplicas: 5 },
    is: 'progressing',
    reason: 'PodsNotReady',
    says: 'scaling down from 5 pods to 2',
  },
  'is ready if all pods are available and up to date': {
    status: { replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
    is: 'ready',
    reason: 'Available',
  },
  'R11: is not ready while it is paused, also when all its pods are available': {
    spec: { paused: true },
    status: { replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
    is: 'unready',
    reason: 'Paused',
    says: '2 of 2 pods available; paused: changes do not reach the pods',
  },
  'R11: says of a paused fork which pods have the change': {
    spec: { paused: true },
    status: { replicas: 2, updatedReplicas: 0, availableReplicas: 2 },
    is: 'unready',
    reason: 'Paused',
    says: '2 of 2 pods available, 0 of 2 up to date; paused: changes do not reach the pods',
  },
  'is stalled if a quota is exceeded, with the message': {
    status: {
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }],
    },
    is: 'stalled',
    reason: 'ReplicaFailure',
    says: 'exceeded quota',
  },
  'is stalled after its progress deadline': {
    status: {
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'late' }],
    },
    is: 'stalled',
    reason: 'ProgressDeadlineExceeded',
    says: 'late',
  },
}

describe('deployment', () => {
  it('takes over fields of the spec that every Deployment may have, but not paused', () => {
    const kept = { minReadySeconds: 5, progressDeadlineSeconds: 60, strategy: { type: 'Recreate' } }
    expect(deployment.inheritedSpec({ ...kept, paused: true, replicas: 3, revisionHistoryLimit: 10 })).to.deep.equal(
      kept,
    )
  })

  it('changes its base fingerprint with the generation of the source', () => {
    const fingerprint = (generation: number) => deployment.baseFingerprint(aDeployment({ metadata: { generation } }))
    expect(fingerprint(1)).not.to.equal(fingerprint(2))
  })

  it('names the revision of the source', () => {
    const annotations = { 'deployment.kubernetes.io/revision': '7' }
    expect(deployment.revision(aDeployment({ metadata: { annotations } }))).to.equal('7')
    expect(deployment.revision(aDeployment())).to.equal(undefined)
  })
})

describe('the rollout of a Deployment', () => {
  const takesDown = (strategy: JsonObject | undefined) =>
    deployment.takesDown(aDeployment({ spec: { replicas: 4, ...(strategy ? { strategy } : {}) } }))

  it('takes down maxUnavailable: of 4 pods 1 with 25 %, 2 with 50 %', () => {
    expect(takesDown(undefined)).to.equal(1)
    expect(takesDown({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%' } })).to.equal(1)
    expect(takesDown({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } })).to.equal(2)
  })

  it('takes down one pod if neither surge nor maxUnavailable is allowed', () =>
    expect(takesDown({ rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } })).to.equal(1))

  it('takes down all pods with Recreate', () => expect(takesDown({ type: 'Recreate' })).to.equal(4))

  it('is held back while it is paused', () => {
    expect(deployment.holdsBack(aDeployment({ spec: { paused: true } }))).to.equal('spec.paused')
    expect(deployment.holdsBack(aDeployment({ spec: { paused: false } }))).to.equal(undefined)
    expect(deployment.holdsBack(aDeployment())).to.equal(undefined)
  })
})

describe('the health of a Deployment', () => {
  for (const [sentence, { spec, status, is, reason, says }] of Object.entries(cases))
    it(sentence, () => {
      const fork = { ...aDeployment({ spec: { replicas: 2, ...spec } }), status }
      const health = deployment.health(fork, 0)
      expect({ is: health.is, reason: health.reason }).to.deep.equal({ is, reason })
      if (says) expect(health.message).to.equal(says)
    })
})
