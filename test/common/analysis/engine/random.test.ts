import { expect } from 'chai'
import { fnv1a, seeded } from '../../../../common/analysis/engine/random.ts'

describe('numbers from a seed', () => {
  const drawn = (seed: number, count: number) => {
    const random = seeded(seed)
    return Array.from({ length: count }, random)
  }

  it('are the same for the same seed, and others for another', () => {
    expect(drawn(7, 20)).to.deep.equal(drawn(7, 20))
    expect(drawn(7, 20)).to.not.deep.equal(drawn(8, 20))
  })

  it('are spread evenly over [0, 1)', () => {
    const counts = Map.groupBy(drawn(1, 10_000), (one) => Math.floor(10 * one))
    expect([...counts.keys()].sort()).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    for (const { length } of counts.values()) expect(length).to.be.within(850, 1_150)
  })
})

describe('the hash of a text', () => {
  // from the specification of FNV-1a
  it('is that of FNV-1a', () => {
    expect([fnv1a(''), fnv1a('a'), fnv1a('foobar')]).to.deep.equal([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
  })

  it('is another one for another seed', () => expect(fnv1a('cart', 1)).to.not.equal(fnv1a('cart')))
})
