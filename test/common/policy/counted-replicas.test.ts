import { expect } from 'chai'
import type { StrategyRunStatus } from '../../../common/api/strategy.ts'
import type { ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import { countedReplicas, replicasByStatus } from '../../../common/policy/counted-replicas.ts'
import { anExperiment } from '../../builders.ts'

describe('countedReplicas', () => {
  it('are those of the fork or those reserved, the greater', () => {
    expect(countedReplicas(3, undefined)).to.equal(3)
    expect(countedReplicas(3, 5)).to.equal(5)
    expect(countedReplicas(5, 3)).to.equal(5)
    expect(countedReplicas(undefined, 5)).to.equal(5)
    expect(countedReplicas(undefined, undefined)).to.equal(undefined)
  })

  it('are none of a fork without pods, which is another thing than no fork', () =>
    expect(countedReplicas(0, undefined)).to.equal(0))
})

const run = (of: Pick<StrategyRunStatus, 'path' | 'phase'>): ExperimentDeploymentStatus => ({
  strategy: { run: 'r', revision: 'v', stepIndex: 1, stepName: 'pause', since: '', step: '1/3', ...of },
})
const FORWARD = run({ path: 'Forward', phase: 'Paused' })
const PROMOTED = run({ path: 'Forward', phase: 'Promoted' })
const ABORTED = run({ path: 'Abort', phase: 'Aborted' })

describe('the replicas by the status', () => {
  const canary = { strategy: { canary: { steps: [{ setWeight: 50 }] } }, replicas: 2 }
  const cases: Record<
    string,
    readonly [
      spec: Parameters<typeof anExperiment>[0],
      status: ExperimentDeploymentStatus | undefined,
      pods: number | undefined,
    ]
  > = {
    'are those of the spec before the first pass': [{ replicas: 3 }, undefined, 3],
    'are those of the spec while the fork is still to come': [{ replicas: 3 }, { observedGeneration: 1 }, 3],
    'are those of the fork, whatever its step says about the spec': [canary, { ...FORWARD, pods: '10/10' }, 10],
    'are those of a fork whose pods are being created': [canary, { ...FORWARD, pods: '0/10' }, 10],
    'are those of a fork that may not grow': [{ replicas: 5 }, { pods: '1/1' }, 1],
    'are none of a fork that lost its pods': [{ replicas: 5 }, { pods: '0/0' }, 0],
    'are those of the spec in a run whose fork is still to come': [canary, FORWARD, 2],
    'do not exist after a promotion': [canary, PROMOTED, undefined],
    'do not exist on a way back without a fork': [canary, ABORTED, undefined],
    'are none of an aborted fork': [canary, { ...ABORTED, pods: '0/0' }, 0],
    'are those of the spec where a strategy was taken away': [{ replicas: 3 }, PROMOTED, 3],
    'are those of a spec that no pass has seen': [canary, { ...PROMOTED, observedGeneration: 0 }, 2],
    'are the greater ones while no pass has seen the spec': [
      { replicas: 3 },
      { pods: '9/9', observedGeneration: 0 },
      9,
    ],
    'are those of the spec where the status has no number': [{ replicas: 3 }, { pods: 'many' }, 3],
  }
  for (const [sentence, [spec, status, expected]] of Object.entries(cases))
    it(sentence, () => {
      const told = status && { observedGeneration: 1, ...status }
      expect(replicasByStatus(anExperiment({ ...spec, ...(told ? { status: told } : {}) }))).to.equal(expected)
    })
})
