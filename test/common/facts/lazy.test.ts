import { expect } from 'chai'
import { lazily, lazy } from '../../../common/facts/lazy.ts'

describe('a value that is computed once', () => {
  it('is computed when it is first asked for, and not again', () => {
    let count = 0
    const value = lazy(() => {
      count += 1
      return { count }
    })
    expect(count).to.equal(0)
    expect([value(), value()]).to.deep.equal([{ count: 1 }, { count: 1 }])
    expect(value()).to.equal(value())
  })
})

describe('lazily', () => {
  it('computes each member when it is first needed, and only once, also one that is undefined', () => {
    const computed: string[] = []
    const of = lazily<{ readonly one: number; readonly none: undefined }>({
      one: () => computed.push('one'),
      none: () => void computed.push('none'),
    })
    expect(computed).to.deep.equal([])
    expect([of.one, of.none, of.one, of.none]).to.deep.equal([1, undefined, 1, undefined])
    expect(computed).to.deep.equal(['one', 'none'])
  })
})
