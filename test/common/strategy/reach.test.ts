import { expect } from 'chai'
import { reach, shareOf } from '../../../common/strategy/reach.ts'

describe('reach', () => {
  const target = { pods: 4, open: 1 }

  it('lets all pods of a fork have requests, or those that its gate opens', () => {
    const sides = { fork: 4, source: 9 }
    expect(reach(target, { ...sides, isGated: false })).to.deep.equal({ fork: 4, source: 9 })
    expect(reach(target, { ...sides, isGated: true })).to.deep.equal({ fork: 1, source: 9 })
    expect(reach(undefined, { ...sides, isGated: true })).to.deep.equal({ fork: 0, source: 9 })
  })

  it('takes the size of the source from the target, where it has one', () =>
    expect(reach({ ...target, source: 2 }, { fork: 4, source: 9, isGated: true })).to.deep.equal({
      fork: 1,
      source: 2,
    }))

  it('gives a share by the pods, or by routes', () => {
    expect(shareOf({ fork: 1, source: 9 })).to.equal('10%')
    expect(shareOf({ fork: 0, source: 0 })).to.equal(undefined)
    expect(shareOf(reach({ ...target, routed: 5 }, { fork: 4, source: 9, isGated: true }))).to.equal('5%')
  })
})
