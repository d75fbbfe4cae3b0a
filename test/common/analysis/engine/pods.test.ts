import { expect } from 'chai'
import { comparePods } from '../../../../common/analysis/engine/pods.ts'
import { areNear, VECTORS } from './vectors.ts'

const never = () => {
  throw new Error('nothing is drawn')
}

describe('the comparison of pods', () => {
  for (const [index, { bins, treatment, at, score, groups, outer }] of VECTORS.pods.entries())
    it(`is that of vector ${index}`, () => {
      const found = comparePods(bins, treatment, at < 0 ? { by: 'ranks' } : { by: 'share', above: at }, never)
      areNear([found?.score ?? 0], [score])
      expect([found?.groups, found?.outer === 0]).to.deep.equal([groups, outer])
    })

  it('draws 200 groups where there are more', () => {
    const bins = Array.from({ length: 12 }, (_, pod) => [20 - pod, 10 + pod])
    let at = 0
    const random = () => {
      at = (at + 0.618_033_988_75) % 1
      return at
    }
    const found = comparePods(bins, 6, { by: 'share', above: 0 }, random)
    expect(found?.groups).to.be.within(190, 201)
    expect(found?.outer).to.be.above(100)
  })

  it('is not made without pods of both arms', () => {
    expect(comparePods([[1, 2]], 1, { by: 'ranks' }, never)).to.equal(undefined)
    expect(comparePods([[1, 2]], 0, { by: 'ranks' }, never)).to.equal(undefined)
  })
})
