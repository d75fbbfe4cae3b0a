import { expect } from 'chai'
import { percent } from '../../../common/text/percent.ts'

describe('percent', () => {
  const cases: readonly (readonly [part: number, whole: number, text: string | undefined])[] = [
    [0, 0, undefined],
    [0, 13, '0%'],
    [1, 13, '8%'],
    [1, 300, '<1%'],
    [3, 300, '1%'],
    [299, 300, '99%'],
    [1, 2, '50%'],
    [5, 5, '100%'],
  ]
  for (const [part, whole, text] of cases)
    it(`writes ${part} of ${whole} as ${text}`, () => expect(percent(part, whole)).to.equal(text))
})
