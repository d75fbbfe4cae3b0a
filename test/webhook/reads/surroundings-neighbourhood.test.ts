import { expect } from 'chai'
import { referrerOf } from '../../../common/surroundings/hazards.ts'
import { neighbourhoodReader } from '../../../webhook/reads/surroundings.ts'
import { aDeployment, aRollout } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'
import { anAutoscaler, aReader } from '../reviews.ts'

const LISTS = 4 // autoscalers, budgets, policies, Rollouts

function world({ isDown = false, rollout = aRollout() } = {}) {
  const time = new VirtualTime()
  const { kube, asked } = aReader([anAutoscaler({}), rollout], { isDown })
  return { time, asked, neighbourhoodOf: neighbourhoodReader(kube, time) }
}

describe('the neighbourhood of a fork', () => {
  it('N20: is read again for a review that sizes a preview, and then kept for all others', async () => {
    const { time, asked, neighbourhoodOf } = world()
    await neighbourhoodOf('shop')
    await time.pass(1)
    await neighbourhoodOf('shop', 0)
    expect(asked).to.have.length(2 * LISTS)
    await time.pass(9_999)
    await neighbourhoodOf('shop')
    expect(asked).to.have.length(2 * LISTS)
  })

  it('is read once for all reviews within ten seconds', async () => {
    const { time, asked, neighbourhoodOf } = world()
    const all = await Promise.all(['shop', 'shop', 'shop'].map((namespace) => neighbourhoodOf(namespace)))
    expect(asked).to.have.length(LISTS)
    expect(all[2]?.neighbours?.autoscalers).to.have.length(1)
    expect(all[2]?.referring.map(({ kind }) => kind)).to.deep.equal(['Rollout'])
    await time.pass(9_999)
    await neighbourhoodOf('shop')
    expect(asked).to.have.length(LISTS)
    await time.pass(1)
    await neighbourhoodOf('shop')
    expect(asked).to.have.length(2 * LISTS)
  })

  it('keeps of a Rollout the object that it refers to, but neither template, status nor managed fields', async () => {
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' }
    const { metadata, ...rest } = aRollout({ workloadRef })
    const managedFields = [{ manager: 'argo', operation: 'Update' }]
    const rollout = { ...rest, metadata: { ...metadata, managedFields }, status: { conditions: [{ type: 'Healthy' }] } }
    const [kept] = (await world({ rollout }).neighbourhoodOf('shop')).referring
    expect(kept?.spec).to.deep.equal({ workloadRef })
    expect(JSON.stringify(kept)).not.to.match(/managedFields|Healthy|containers/)
    expect(kept && referrerOf(aDeployment(), [kept])).to.equal('rollout/cart')
  })

  it('is read again where it could not be read', async () => {
    const { asked, neighbourhoodOf } = world({ isDown: true })
    expect((await neighbourhoodOf('shop')).neighbours).to.equal(undefined)
    const before = asked.length
    await neighbourhoodOf('shop')
    expect(asked).to.have.length(2 * before)
  })
})
