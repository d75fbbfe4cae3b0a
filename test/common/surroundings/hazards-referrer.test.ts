import { expect } from 'chai'
import { watchedPart } from '../../../common/fork/watched.ts'
import { referrerOf } from '../../../common/surroundings/hazards.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aDeployment, aRollout, aStatefulSet } from '../../builders.ts'

describe('referrerOf', () => {
  it('finds the Rollout that uses the template of the source', () => {
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' }
    const watched = watchedPart(rollout, { ...aRollout({ workloadRef }), metadata: { name: 'front' } })
    const others = [aDeployment(), watched]
    expect(referrerOf(aDeployment(), others)).to.equal('rollout/front')
    expect(referrerOf(aDeployment({ name: 'other' }), others)).to.equal(undefined)
    expect(referrerOf(aStatefulSet(), others)).to.equal(undefined)
  })
})
