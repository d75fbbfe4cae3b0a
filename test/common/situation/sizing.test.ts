import { expect } from 'chai'
import { imageOverride } from '../../builders.ts'
import { inside, labelOf } from '../plan/some-inside.ts'

describe('the sizes on which a run works', () => {
  it('has the sizes of Argo at 20, 40, 60 and 80 % of five pods', () => {
    const it = inside(5, [20, 40, 60, 80])
    const seen = [20, 40, 60, 80].map(() => {
      it.rest()
      const sizes = it.sizes()
      it.run.say('resume')
      return sizes
    })
    expect(seen).to.deep.equal([[1, 4], [2, 3], [3, 2], [4, 1]]) // biome-ignore format: pairs
  })

  it('begins again with another image only when the source has its pods', () => {
    const it = inside(5, [80])
    it.rest()
    it.run.edit({ overrideSpec: imageOverride('example/cart:3') })
    it.rest()
    expect([it.sizes(), it.run.strategy()?.attempt, labelOf(it)]).to.deep.equal([[4, 1], 1, 'uid.5.1'])
    expect(JSON.stringify(it.run.world.fork?.spec)).to.contain('example/cart:3')
  })
})
