import { expect } from 'chai'
import { didYouMean, editDistance } from '../../../common/schema/did-you-mean.ts'

const known = ['args', 'command', 'env', 'envFrom', 'image', 'imagePullPolicy', 'name', 'tty']

describe('didYouMean', () => {
  const cases: Record<string, readonly [found: string, meant: string | undefined]> = {
    'knows a letter left out': ['imge', 'image'],
    'knows letters swapped': ['iamge', 'image'],
    'knows another case': ['IMAGE', 'image'],
    'knows a plural': ['names', 'name'],
    'does not guess at three edits': ['igames', undefined],
    'allows one edit below four characters': ['enf', 'env'],
    'does not allow two there': ['ytt', undefined],
    'has nothing for what is unlike all': ['zzz', undefined],
    'is not impressed by a long key': ['x'.repeat(317), undefined],
  }
  for (const [sentence, [found, meant]] of Object.entries(cases))
    it(sentence, () => expect(didYouMean(found, known)).to.equal(meant))

  it('prefers the nearest, then the alphabet', () => {
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
  ] as const)
    it(`from "${from}" to "${to}" is ${distance}`, () => expect(editDistance(from, to)).to.equal(distance))
})
