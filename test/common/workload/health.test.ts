import { expect } from 'chai'
import type { JsonObject } from '../../../common/api/object.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { forkHealth } from '../../../common/workload/health.ts'
import { aDeployment } from '../../builders.ts'

interface Case {
  readonly status: JsonObject
  readonly replicas?: number
  readonly is: string
  readonly reason: string
  readonly says?: string
}

const seen = { observedGeneration: 2 }
const cases: Record<string, Case> = {
  'is updating until its controller has seen it': {
    status: { observedGeneration: 1 },
    is: 'progressing',
    reason: 'Updating',
  },
  'is updating where its controller said nothing yet': { status: {}, is: 'progressing', reason: 'Updating' },
  'waits for its pods': { status: seen, is: 'progressing', reason: 'PodsNotReady', says: '0 of 2 pods available' },
  'waits for the pods of an older revision to go': {
    status: { ...seen, replicas: 3, updatedReplicas: 2, availableReplicas: 2 },
    is: 'progressing',
    reason: 'PodsNotReady',
  },
  'is available': {
    status: { ...seen, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
    is: 'ready',
    reason: 'Available',
  },
  'is ready at zero': { status: seen, replicas: 0, is: 'ready', reason: 'ScaledToZero' },
  'stalls on a quota, with its message': {
    status: {
      ...seen,
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }],
    },
    is: 'stalled',
    reason: 'ReplicaFailure',
    says: 'exceeded quota',
  },
  'stalls when its deadline is over': {
    status: {
      ...seen,
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'late' }],
    },
    is: 'stalled',
    reason: 'ProgressDeadlineExceeded',
    says: 'late',
  },
}

describe('the health of a Deployment', () => {
  for (const [sentence, { status, replicas = 2, is, reason, says }] of Object.entries(cases))
    it(sentence, () => {
      const fork = { ...aDeployment({ metadata: { generation: 2 }, spec: { replicas } }), status }
      const health = forkHealth(deployment, fork, new Date(0))
      expect({ is: health.is, reason: health.reason }).to.deep.equal({ is, reason })
      if (says) expect(health.message).to.contain(says)
    })
})
