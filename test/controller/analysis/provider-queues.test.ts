import { expect } from 'chai'
import { ProviderQueues } from '../../../controller/analysis/provider-queues.ts'

const never = () => false

describe('ProviderLines', () => {
  it('takes runs one at a time, in the order in which they came', () => {
    const lines = new ProviderQueues()
    for (const run of ['shop/a', 'shop/b', 'shop/a']) lines.wait('prom', run)
    expect(lines.size).to.equal(2)
    expect([lines.next(never), lines.next(never), lines.next(never)]).to.deep.equal([['shop/a'], ['shop/b'], []])
    expect(lines.size).to.equal(0)
  })

  it('takes one of each provider that is not busy', () => {
    const lines = new ProviderQueues()
    for (const provider of ['prom', 'web', 'plugin']) lines.wait(provider, `shop/${provider}`)
    expect(lines.next((provider) => provider === 'web')).to.deep.equal(['shop/prom', 'shop/plugin'])
    expect(lines.next(never)).to.deep.equal(['shop/web'])
  })

  it('forgets a run everywhere', () => {
    const lines = new ProviderQueues()
    for (const provider of ['prom', 'web']) for (const run of ['shop/a', 'shop/b']) lines.wait(provider, run)
    lines.forget('shop/a')
    expect(lines.size).to.equal(2)
    expect(lines.next(never)).to.deep.equal(['shop/b', 'shop/b'])
    lines.forget('shop/b')
    expect(lines.size).to.equal(0)
  })
})
