import { expect } from 'chai'
import { forkHealth, hasRolledOut } from '../../../common/fork/health.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, aRollout, aStatefulSet } from '../../builders.ts'

describe('forkHealth', () => {
  const health = (status: object, replicas = 2) =>
    forkHealth(deployment, { ...aDeployment({ metadata: { generation: 2 }, spec: { replicas } }), status }, new Date(0))

  it('is progressing until the workload controller has observed the generation', () => {
    const updating = {
      is: 'progressing',
      isUnseen: true,
      reason: 'Updating',
      message: 'waiting for the Deployment controller to observe generation 2',
    }
    expect(health({ observedGeneration: 1 })).to.deep.equal(updating)
    expect(health({})).to.deep.equal(updating)
  })

  it('is ready at zero replicas', () =>
    expect(health({ observedGeneration: 2 }, 0)).to.include({ is: 'ready', reason: 'ScaledToZero' }))

  it('asks the kind otherwise', () =>
    expect(health({ observedGeneration: 2 })).to.include({ is: 'progressing', reason: 'PodsNotReady' }))

  it('tells the kind the time since the last apply by this controller', () => {
    const managedFields = [
      { manager: 'experiment-controller', operation: 'Apply', subresource: 'status', time: '2026-11-21T10:05:00Z' },
      { manager: 'experiment-controller', operation: 'Apply', time: '2026-11-21T10:00:00Z' },
      { manager: 'kubectl-edit', operation: 'Update', time: '2026-11-21T10:06:00Z' },
    ]
    const metadata = { name: 'cart', generation: 1, managedFields }
    const fork = { ...aStatefulSet(), metadata, status: { observedGeneration: 1 } }
    const found = forkHealth(statefulSet, fork, new Date('2026-11-21T10:07:00Z'))
    expect(found.is === 'progressing' && found.recheckAfterMs).to.equal(180_000)
  })

  it('measures the silence of a controller from the last write by any client', () => {
    const managedFields = [
      { manager: 'experiment-controller', operation: 'Apply', time: '2026-11-21T09:00:00Z' },
      { manager: 'kubectl-edit', operation: 'Update', time: '2026-11-21T10:00:00Z' },
      { manager: 'rollouts-controller', operation: 'Update', subresource: 'status', time: '2026-11-21T10:01:00Z' },
    ]
    const fork = { ...aRollout(), metadata: { name: 'x', generation: 2, managedFields }, status: {} }
    const at = (time: string) => forkHealth(rollout, fork, new Date(time)).reason
    expect(at('2026-11-21T10:00:29Z')).to.equal('Updating')
    expect(at('2026-11-21T10:00:30Z')).to.equal('NotReconciled')
  })

  it('is progressing if the time of the last write is unknown', () => {
    const fork = { ...aRollout(), metadata: { name: 'x', generation: 2 }, status: {} }
    expect(forkHealth(rollout, fork, new Date(0)).reason).to.equal('Updating')
  })
})

describe('a source', () => {
  const source = (status: object) => ({ ...aDeployment({ metadata: { generation: 2 } }), status })
  const counts = { observedGeneration: 2, replicas: 4, updatedReplicas: 4 }

  it('has rolled out when all of its pods have its template, ready or not', () => {
    expect(hasRolledOut(deployment, source(counts))).to.equal(true)
    expect(hasRolledOut(statefulSet, source({ ...counts, readyReplicas: 0 }))).to.equal(true)
    expect(hasRolledOut(deployment, source({ observedGeneration: 2 }))).to.equal(true)
  })

  it('has not while some have another one, or its controller has not seen it', () => {
    expect(hasRolledOut(deployment, source({ ...counts, replicas: 5 }))).to.equal(false)
    expect(hasRolledOut(deployment, source({ ...counts, updatedReplicas: 0 }))).to.equal(false)
    expect(hasRolledOut(deployment, source({ ...counts, observedGeneration: 1 }))).to.equal(false)
    expect(hasRolledOut(deployment, source({}))).to.equal(false)
  })
})
