import { expect } from 'chai'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { inside, labelOf, loseLabel } from '../plan/some-inside.ts'

describe('why a source may not get smaller', () => {
  it('gives the source its pods back when an autoscaler appears, and waits until that is gone', () => {
    const it = inside(5, [80])
    it.rest()
    expect(it.pass().conclusion.recheckMs).to.equal(60_000) // no event tells of autoscalers
    const target = { kind: 'Deployment', name: 'cart' }
    const autoscalers = [{ name: 'cart', target, min: 1, max: 9, isOnCpu: true }]
    it.run.world.neighbours = { ...NO_NEIGHBOURS, autoscalers }
    it.rest()
    expect([it.sizes(), labelOf(it)]).to.deep.equal([[2, 5], undefined])
    expect(it.run.reasonOf('Ready')).to.equal('SourceIsAutoscaled')
    it.run.world.neighbours = NO_NEIGHBOURS
    it.rest()
    expect(it.sizes()).to.deep.equal([4, 1])
  })

  it('keeps its fork where the component is gone, and says what gives the pods back', () => {
    const it = inside(5, [80])
    it.rest()
    it.run.world.isPromotionInstalled = false
    it.run.say('abort')
    it.pass()
    it.pass()
    expect(it.sizes()).to.deep.equal([4, 1])
    expect(it.run.reasonOf('Stalled')).to.equal('NotInstalled')
    expect(it.run.messageOf('Ready')).to.contain('kubectl patch deployment/cart --namespace=shop')
  })

  it('lets nothing be written without the component, also where the label is lost', () => {
    const it = inside(5, [80])
    it.rest()
    it.run.world.isPromotionInstalled = false
    loseLabel(it)
    it.pass()
    expect(it.pass().writes.filter(({ role }) => role === 'sourceSize')).to.have.length(0)
  })
})
