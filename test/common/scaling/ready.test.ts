import { expect } from 'chai'
import { readyLater } from '../../../common/scaling/ready.ts'

describe('the ready endpoints beside a fork whose source gets another size', () => {
  it('are fewer by the pods that the source gives up, whoever else the Service sends to', () => {
    expect(readyLater(5, { now: 5, later: 1 })).to.equal(1)
    expect(readyLater(8, { now: 5, later: 1 })).to.equal(4)
  })

  it('are more where the source is small now', () => expect(readyLater(2, { now: 2, later: 5 })).to.equal(5))

  it('are those of a source that has got ready, if there are so many now', () => {
    expect(readyLater(2, { now: 5, later: 1 })).to.equal(1)
    expect(readyLater(0, { now: 5, later: 1 })).to.equal(0)
  })
})
