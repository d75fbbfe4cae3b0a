import { expect } from 'chai'
import { referrerOf } from '../../../common/workload/referrer.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aDeployment, aRollout, aStatefulSet } from '../../builders.ts'

describe('the Rollout that takes its template from a source', () => {
  it('is the one to fork where its template is that of another workload', () => {
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' }
    const watched = rollout.watched?.({ ...aRollout({ workloadRef }), metadata: { name: 'front' } })
    const others = watched ? [aDeployment(), watched] : []
    expect(referrerOf(aDeployment(), others)).to.equal('rollout/front')
    expect(referrerOf(aDeployment({ name: 'other' }), others)).to.equal(undefined)
    expect(referrerOf(aStatefulSet(), others)).to.equal(undefined)
  })
})
