import { expect } from 'chai'
import { Neighbourhoods } from '../../../webhook/reads/neighbourhood.ts'
import { aRollout } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'
import { anAutoscaler, aReader } from '../reviews.ts'

const LISTS = 4 // autoscalers, budgets, policies, Rollouts

function world(isDown = false) {
  const time = new VirtualTime()
  const { kube, asked } = aReader([anAutoscaler({}), aRollout()], { isDown })
  return { time, asked, neighbourhoods: new Neighbourhoods(kube, time) }
}

describe('the neighbourhood of a fork', () => {
  it('is read once for all reviews within ten seconds', async () => {
    const { time, asked, neighbourhoods } = world()
    const all = await Promise.all(['shop', 'shop', 'shop'].map((namespace) => neighbourhoods.of(namespace)))
    expect(asked).to.have.length(LISTS)
    expect(all[2]?.neighbours?.autoscalers).to.have.length(1)
    expect(all[2]?.referring.map(({ kind }) => kind)).to.deep.equal(['Rollout'])
    await time.pass(9_999)
    await neighbourhoods.of('shop')
    expect(asked).to.have.length(LISTS)
    await time.pass(1)
    await neighbourhoods.of('shop')
    expect([asked.length, neighbourhoods.size]).to.deep.equal([2 * LISTS, 1])
  })

  it('is read again where it could not be read', async () => {
    const { neighbourhoods } = world(true)
    expect((await neighbourhoods.of('shop')).neighbours).to.equal(undefined)
    expect(neighbourhoods.size).to.equal(0)
  })
})
