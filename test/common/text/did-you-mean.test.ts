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

describe('editDistance', () => {
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
