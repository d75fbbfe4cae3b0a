import { expect } from 'chai'
import { replacedLists } from '../../../common/workload/replaced-lists.ts'

describe('replaced lists', () => {
  it('pass over a container whose name is none, whatever is in its place', () => {
    const hostile = { template: { spec: { containers: [{ name: { toString: 'x' } }, { image: 'y' }] } } }
    expect(replacedLists(hostile, hostile)).to.deep.equal([])
  })
})
