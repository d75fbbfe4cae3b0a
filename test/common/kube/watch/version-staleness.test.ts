import { expect } from 'chai'
import { Staleness } from '../../../../common/kube/watch/version.ts'

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
