import { expect } from 'chai'
import { replacedLists } from '../../../common/workload/replaced-lists.ts'

describe('replaced lists', () => {
  it('pass over a container whose name is none, whatever is in its place', () => {
    const hostile = { template: { spec: { containers: [{ name: { toString: 'x' } }, { image: 'y' }] } } }
    expect(replacedLists(hostile, hostile)).to.deep.equal([])
  })

  it('know no keys of what merely has the name of an inherited member', () => {
    const odd = { template: { spec: { containers: [{ name: 'cart', constructor: ['x'] }] } } }
    expect(replacedLists(odd, odd)).to.deep.equal([])
  })
})
