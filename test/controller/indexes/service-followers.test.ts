import { expect } from 'chai'
import { ServiceFollowers } from '../../../controller/indexes/service-followers.ts'

describe('the followers of Services', () => {
  it('are found by the Service, in its namespace', () => {
    const followers = new ServiceFollowers(() => true)
    followers.follow('shop/a', 'shop', new Set(['cart', 'till']))
    followers.follow('shop/b', 'shop', new Set(['cart']))
    expect(followers.take('shop', 'cart')).to.deep.equal(['shop/a', 'shop/b'])
    expect(followers.take('shop', 'till')).to.deep.equal(['shop/a'])
    expect([...followers.take('store', 'cart'), ...followers.take('shop', 'other')]).to.deep.equal([])
  })

  it('P4: are found once for each pass', () => {
    const followers = new ServiceFollowers(() => true)
    followers.follow('shop/a', 'shop', new Set(['cart']))
    followers.follow('shop/b', 'shop', new Set(['cart']))
    expect(followers.take('shop', 'cart')).to.deep.equal(['shop/a', 'shop/b'])
    expect(followers.take('shop', 'cart')).to.deep.equal([])
    followers.followAll('shop/b', 'shop')
    expect(followers.take('shop', 'cart')).to.deep.equal(['shop/b'])
    followers.follow('shop/b', 'shop', new Set(['cart']))
    expect(followers.take('shop', 'cart')).to.deep.equal(['shop/b'])
    for (const key of ['shop/a', 'shop/b']) followers.forget(key)
    expect(followers.entryCount).to.equal(0)
  })

  it('R10: follow every Service of the namespace until it is known which ones matter', () => {
    const followers = new ServiceFollowers(() => true)
    followers.follow('shop/b', 'shop', new Set(['cart']))
    followers.followAll('lab/a', 'shop')
    expect(followers.take('shop', 'cart')).to.have.members(['lab/a', 'shop/b'])
    followers.followAll('lab/a', 'shop')
    expect(followers.take('shop', 'other')).to.deep.equal(['lab/a'])
    followers.follow('shop/b', 'shop', new Set(['cart']))
    followers.follow('lab/a', 'shop', new Set(['other']))
    expect(followers.take('shop', 'cart')).to.deep.equal(['shop/b'])
  })

  it('do not come back when a pass ends after its experiment was deleted', () => {
    const followers = new ServiceFollowers(() => false)
    followers.followAll('shop/a', 'shop')
    followers.follow('shop/a', 'shop', new Set(['cart']))
    expect(followers.entryCount).to.equal(0)
  })

  it('are forgotten, and leave nothing', () => {
    const followers = new ServiceFollowers(() => true)
    followers.follow('shop/a', 'shop', new Set(['cart']))
    followers.follow('shop/b', 'shop', new Set())
    followers.forget('shop/a')
    followers.forget('shop/unknown')
    expect(followers.entryCount).to.equal(0)
  })
})
