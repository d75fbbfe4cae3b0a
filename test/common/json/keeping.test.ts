import { expect } from 'chai'
import { keeping } from '../../../common/json/keeping.ts'

describe('keeping', () => {
  it('computes once for a key and the others, and again when one of the others is another one', () => {
    const sums = keeping<number>()
    let calls = 0
    const sum = (key: { readonly of: number }, ...others: readonly number[]) =>
      sums(key, others, () => {
        calls += 1
        return others.reduce((total, each) => total + each, key.of)
      })
    const [one, two] = [{ of: 1 }, { of: 2 }]
    expect([sum(one, 3), sum(two, 3), sum(one, 3), sum(two, 3)]).to.deep.equal([4, 5, 4, 5])
    expect(calls).to.equal(2)
    expect([sum(one, 4), sum(one, 4, 5), sum(one), sum(one)]).to.deep.equal([5, 10, 1, 1])
    expect(calls).to.equal(5)
  })
})
