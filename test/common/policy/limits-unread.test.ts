import { expect } from 'chai'
import { aPolicyInput, findings } from './policy-input.ts'

const UNREAD = [{ name: 'service/big', unread: 'it is longer than 1.5 MiB' }]

describe('the limit of a share where a Service is too large to be read', () => {
  it('N29: does not take an unknown share for none', () => {
    expect(findings({ maxShare: '25%' }, aPolicyInput({ endpoints: [], unread: UNREAD }))).to.deep.equal([
      'spec.replicas: the share of experiments is not known, and at most 25% is allowed; make these smaller: ' +
        'service/big (it is longer than 1.5 MiB) (policy "limits")',
    ])
  })

  it('N29: reports a share that is known to be larger', () => {
    const endpoints = [{ service: 'cart', ready: 2 }]
    const [found] = findings({ maxShare: '25%' }, aPolicyInput({ endpoints, unread: UNREAD }))
    expect(found).to.contain('experiments would have 1 of 3 endpoints of service/cart')
  })

  it('N29: allows a share that is not known where all is allowed', () =>
    expect(findings({ maxShare: '100%' }, aPolicyInput({ endpoints: [], unread: UNREAD }))).to.deep.equal([]))
})
