import { expect } from 'chai'
import { addressOf } from '../../../../common/analysis/kinds/address.ts'
import { PROVIDER_TYPES } from '../../../../common/analysis/kinds/provider.ts'

describe('the address of a provider', () => {
  it('is where it says', () => {
    for (const type of PROVIDER_TYPES.filter((each) => each !== 'NewRelic'))
      expect(addressOf({ type, address: 'https://a.example/b' })).to.equal('https://a.example/b')
    expect(addressOf({ type: 'Web' })).to.equal('')
  })

  it('is that of the region for New Relic, whatever else it says', () => {
    const address = 'https://elsewhere.example'
    const of = (newRelic?: Parameters<typeof addressOf>[0]['newRelic']) =>
      addressOf({ type: 'NewRelic', address, ...(newRelic ? { newRelic } : {}) })
    expect([of(), of({ accountId: 1 }), of({ accountId: 1, region: 'US' })]).to.deep.equal(
      Array(3).fill('https://api.newrelic.com'),
    )
    expect(of({ accountId: 1, region: 'EU' })).to.equal('https://api.eu.newrelic.com')
    expect(of({ accountId: 1, region: 'JP' })).to.equal('https://api.jp.newrelic.com')
  })
})
