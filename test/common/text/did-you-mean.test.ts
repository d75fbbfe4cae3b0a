import { expect } from 'chai'
import { didYouMean, editDistance } from '../../../common/text/did-you-mean.ts'

const known = ['args', 'command', 'env', 'envFrom', 'image', 'imagePullPolicy', 'name', 'tty']

describe('didYouMean', () => {
  const cases: Record<string, readonly [found: string, meant: string | undefined]> = {
    'finds a key with a missing letter': ['imge', 'image'],
    'finds a key with swapped letters': ['iamge', 'image'],
    'finds a key in another case': ['IMAGE', 'image'],
    'finds the singular of a plural': ['names', 'name'],
    'does not guess at three edits': ['igames', undefined],
    'allows one edit below four characters': ['enf', 'env'],
    'allows a swap below four characters': ['evn', 'env'],
    'does not allow two edits below four characters': ['ytt', undefined],
    'returns undefined if no key is similar': ['zzz', undefined],
    'returns undefined for a very long key': ['x'.repeat(317), undefined],
  }
  for (const [sentence, [found, meant]] of Object.entries(cases))
    it(sentence, () => expect(didYouMean(found, known)).to.equal(meant))

  it('prefers the nearest key, then the first by alphabet', () => {
    expect(didYouMean('portz', ['sortz', 'ports', 'porta'])).to.equal('porta')
    expect(didYouMean('portz', ['parts', 'ports'])).to.equal('ports')
  })
})

describe('didYouMean among many keys', () => {
  const many = Array.from({ length: 101 }, (_, index) => `key-${index}`)

  it('N29: compares with at most 100, unless more are allowed', () => {
    expect(didYouMean('kye-7', many.slice(1))).to.equal('key-7')
    expect(didYouMean('kye-7', many)).to.equal(undefined)
    expect(didYouMean('kye-7', many, 500)).to.equal('key-7')
  })
})

describe('editDistance', () => {
  it('N29: stops when it is known to be more than the limit', () => {
    expect(editDistance('kitten', 'sitting', 3)).to.equal(3)
    expect(editDistance('kitten', 'sitting', 2)).to.equal(Number.POSITIVE_INFINITY)
    expect(editDistance('badc', 'abcd', 2)).to.equal(2)
  })

  for (const [from, to, distance] of [
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['image', 'imge', 1],
    ['crat', 'cart', 1],
    ['db', 'bd', 1],
    ['abcd', 'badc', 2],
  ] as const)
    it(`from "${from}" to "${to}" is ${distance}`, () => expect(editDistance(from, to)).to.equal(distance))
})
