import { expect } from 'chai'
import { lazy } from '../../../common/assess/lazy.ts'

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
