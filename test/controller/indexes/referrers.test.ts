import { expect } from 'chai'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { Referrers } from '../../../controller/indexes/referrers.ts'
import { aDeployment, aRollout } from '../../builders.ts'

const CART = 'Deployment/shop/cart'
const referringTo = (name: string) => aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } })
const key = 'shop/front'

describe('the referrers', () => {
  it('are found by the object that they name, and change with it', () => {
    const referrers = new Referrers()
    const [cart, other] = [referringTo('cart'), referringTo('other')]
    expect(referrers.update(rollout, { is: 'added', key, after: cart })).to.deep.equal([CART])
    expect(referrers.of(CART)).to.deep.equal([cart])
    expect(referrers.update(rollout, { is: 'updated', key, before: cart, after: other })).to.deep.equal([
      CART,
      'Deployment/shop/other',
    ])
    expect(referrers.of(CART)).to.deep.equal([])
    referrers.update(rollout, { is: 'deleted', key, before: other })
    expect(referrers.size).to.equal(0)
  })

  it('may be several', () => {
    const referrers = new Referrers()
    for (const each of [key, 'shop/back'])
      referrers.update(rollout, { is: 'added', key: each, after: referringTo('cart') })
    expect(referrers.of(CART)).to.have.length(2)
  })

  it('are no workloads with a template of their own', () => {
    const referrers = new Referrers()
    expect(referrers.update(rollout, { is: 'added', key, after: aRollout() })).to.deep.equal([])
    expect(referrers.update(deployment, { is: 'added', key, after: aDeployment() })).to.deep.equal([])
    expect(referrers.size).to.equal(0)
  })
})
