import { expect } from 'chai'
import { inside, labelOf } from '../plan/some-inside.ts'

describe('what a canary inside its source writes there', () => {
  it('gives the source its pods back when it is aborted, and leaves nothing on it', () => {
    const it = inside(5, [80])
    it.rest()
    expect([it.sizes(), labelOf(it)]).to.deep.equal([[4, 1], 'uid.5.1'])
    it.run.say('abort')
    it.rest()
    expect([it.sizes(), labelOf(it), it.run.strategy()?.scaled]).to.deep.equal([[0, 5], undefined, undefined])
  })

  it('is promoted with one pod of the source, which gets all of its pods after its rollout', () => {
    const it = inside(5, [80])
    it.rest()
    it.run.say('promote')
    it.rest()
    expect(it.run.strategy()?.phase).to.equal('Promoted')
    expect([it.sizes()[1], labelOf(it), it.run.strategy()?.scaled]).to.deep.equal([5, undefined, undefined])
  })
})
