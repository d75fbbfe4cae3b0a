import { expect } from 'chai'
import {
  ADDRESS_PATTERN,
  decodeProvider,
  type ProviderSpec,
  providerWithDefaults,
} from '../../../../common/analysis/kinds/provider.ts'
import { ANALYSIS_PROVIDER } from '../../../../common/api/names.ts'

const SPEC: ProviderSpec = {
  type: 'Prometheus',
  address: 'https://prometheus.monitoring.svc:9090',
  namespaceSelector: {},
}
const stored = (spec: object) => ({ ...ANALYSIS_PROVIDER, metadata: { name: 'prometheus', uid: 'x' }, spec })

describe('a stored provider', () => {
  it('is read with the members that we use', () => {
    const spec = {
      ...SPEC,
      ...{ credential: 'prometheus', headers: { 'X-Scope-OrgID': 'shop' }, caBundle: 'LS0t', podLabel: 'a' },
      ...{ namespaceLabel: 'b', freeQueries: true, lagSeconds: 0, maxConcurrent: 25 },
    }
    expect(decodeProvider(stored({ ...spec, more: 1 }))).to.deep.equal({
      is: 'provider',
      provider: { metadata: { name: 'prometheus' }, spec },
    })
  })

  it('that is malformed says where', () => {
    const wrong = { type: 'Graphite', address: 'ftp://a', credential: '../a', newRelic: { accountId: 0 } }
    const { errors } = { errors: [], ...decodeProvider(stored(wrong)) }
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).to.deep.equal([
      'spec.type: must be Prometheus or NewRelic or Web or Plugin',
      'spec.address: must be an address, such as http://prometheus.monitoring.svc:9090',
      'spec.newRelic.accountId: must be a whole number from 1 to 9007199254740991',
      'spec.namespaceSelector: must be an object',
      'spec.credential: must be the name of a file of credentials',
    ])
  })
})

describe('a provider with its defaults', () => {
  it('has those of its type', () => {
    const defaults = { podLabel: 'pod', namespaceLabel: 'namespace', freeQueries: false, maxConcurrent: 4 }
    expect(providerWithDefaults(SPEC)).to.deep.equal({ ...SPEC, ...defaults, lagSeconds: 15 })
    const newRelic: ProviderSpec = { type: 'NewRelic', newRelic: { accountId: 1 }, namespaceSelector: {} }
    expect(providerWithDefaults(newRelic).lagSeconds).to.equal(60)
  })

  it('keeps what is written', () =>
    expect(providerWithDefaults({ ...SPEC, lagSeconds: 0, podLabel: 'a' })).to.include({
      lagSeconds: 0,
      podLabel: 'a',
    }))
})

describe('the pattern of an address', () => {
  const isAddress = (text: string) => new RegExp(ADDRESS_PATTERN).test(text)

  it('matches http and https with a host, a port and a path', () => {
    const sound = ['http://a', 'https://a.b-c:9090/', 'https://[fd00::1]:9090/a/b', 'https://10.0.0.1/prom%20x']
    expect(sound.filter((text) => !isAddress(text))).to.deep.equal([])
  })

  it('matches nothing with a user, a query, a fragment or another scheme', () => {
    const wrong = [
      '',
      'a',
      'ftp://a',
      'https://',
      'https://u:p@a',
      'https://a?b',
      'https://a#b',
      'https://a\\b',
      'http://a b',
    ]
    expect(wrong.filter(isAddress)).to.deep.equal([])
  })
})
