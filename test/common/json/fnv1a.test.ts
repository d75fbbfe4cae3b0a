import { expect } from 'chai'
import { fnv1a } from '../../../common/json/fnv1a.ts'

describe('the hash of a text', () => {
  // from the specification of FNV-1a
  it('is that of FNV-1a', () => {
    expect([fnv1a(''), fnv1a('a'), fnv1a('foobar')]).to.deep.equal([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
  })

  it('is another one for another seed', () => expect(fnv1a('cart', 1)).to.not.equal(fnv1a('cart')))
})
