import { expect } from 'chai'
import { count } from '../../../common/text/count.ts'

describe('count', () => {
  for (const [number, text] of [
    [0, '0 pods'],
    [1, '1 pod'],
    [2, '2 pods'],
  ] as const)
    it(`U3: says ${text}`, () => expect(count(number, 'pod')).to.equal(text))
})
