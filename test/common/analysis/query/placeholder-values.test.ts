import { expect } from 'chai'
import { placeholderValues, podList, podPattern } from '../../../../common/analysis/query/placeholder-values.ts'
import { aWindowQuery } from './queries.ts'

describe('the values of placeholders', () => {
  it('are those of the arm that is asked about', () => {
    expect(placeholderValues(aWindowQuery({}), 'treatment', podList)).to.deep.equal({
      arm: 'treatment',
      pods: 'cart-fork-0',
      namespace: 'shop',
      workload: 'cart-fork',
      windowSeconds: '30',
      windowStart: `${Date.UTC(2026, 10, 21, 14, 5) / 1_000}`,
      windowEnd: `${Date.UTC(2026, 10, 21, 14, 5, 30) / 1_000}`,
    })
    expect(placeholderValues(aWindowQuery({}), 'control', podList)).to.include({
      arm: 'control',
      pods: 'cart-0,cart-1',
      workload: 'cart',
    })
  })

  it('have a pattern that is true for the pods and for nothing else', () => {
    const pattern = new RegExp(`^(?:${podPattern(['a.b', 'c'])})$`)
    expect(['a.b', 'c', 'a-b', 'a', ''].filter((name) => pattern.test(name))).to.deep.equal(['a.b', 'c'])
  })
})
