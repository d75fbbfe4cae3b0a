import { expect } from 'chai'
import fc from 'fast-check'
import { compareVersions, isVersion, Staleness } from '../../../../common/kube/watch/version.ts'
import '../../../property.ts'

describe('isVersion', () => {
  for (const value of ['0', '7', '9007199254740993'])
    it(`accepts ${value}`, () => expect(isVersion(value)).to.equal(true))

  for (const value of ['', '07', '-1', '1.5', '0x1', ' 1', '1\n', 'a', 7, null, undefined])
    it(`rejects ${JSON.stringify(value)}`, () => expect(isVersion(value)).to.equal(false))
})

describe('compareVersions', () => {
  it('orders versions beyond 2^53, where numbers lose digits', () => {
    expect(compareVersions('9007199254740992', '9007199254740993')).to.be.below(0)
  })

  it('orders versions as their numbers', () => {
    const aNumber = fc.bigInt({ min: 0n, max: 2n ** 80n })
    fc.assert(
      fc.property(aNumber, aNumber, (one, other) => {
        const expected = one < other ? -1 : one > other ? 1 : 0
        expect(Math.sign(compareVersions(`${one}`, `${other}`))).to.equal(expected)
      }),
    )
  })
})

/** What becomes of lists of these versions while version 10 is known. */
const judgements = (...found: readonly string[]) => {
  const staleness = new Staleness()
  return found.map((version) => staleness.check(version, '10'))
}

describe('Staleness', () => {
  it('takes any list while nothing is known', () => expect(new Staleness().check('1', undefined)).to.equal('current'))

  it('takes a list that is as new as what is known, or newer', () =>
    expect(judgements('10', '11')).to.deep.equal(['current', 'current']))

  it('takes four older lists for those of a lagging replica', () =>
    expect(judgements('9', '9', '9', '9')).to.deep.equal(['stale', 'stale', 'stale', 'stale']))

  it('takes five older lists for a restored etcd, if none is older than the one before', () =>
    expect(judgements('5', '5', '6', '6', '9').at(-1)).to.equal('restored'))

  it('counts from one again when a list is older than the one before', () => {
    expect(judgements('5', '5', '5', '5', '4')).to.deep.equal(Array(5).fill('stale'))
    expect(judgements('5', '5', '4', '4', '4', '4', '4').at(-1)).to.equal('restored')
  })

  it('counts from one again after a current list', () =>
    expect(judgements('9', '9', '9', '9', '10', '9')).to.deep.equal([...Array(4).fill('stale'), 'current', 'stale']))

  it('counts from one again after a restored etcd', () =>
    expect(judgements('9', '9', '9', '9', '9', '9').slice(-2)).to.deep.equal(['restored', 'stale']))
})
