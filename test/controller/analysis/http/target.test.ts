import '../../../property.ts'
import { expect } from 'chai'
import fc from 'fast-check'
import { type ProviderTarget, pathFor, providerTarget } from '../../../../controller/analysis/http/target.ts'

const of = (address: string, credential?: string) =>
  providerTarget({ type: 'Prometheus', address, ...(credential !== undefined && { credential }) })

const targetAt = (address: string): ProviderTarget => {
  const target = of(address)
  if (target.is === 'failed') throw new Error(target.message)
  return target
}

const TARGETS: Readonly<Record<string, Omit<ProviderTarget, 'is'>>> = {
  'https://metrics.example.com': {
    origin: 'https://metrics.example.com',
    host: 'metrics.example.com',
    port: 443,
    prefix: '',
  },
  'http://a.b.svc:9090/': { origin: 'http://a.b.svc:9090', host: 'a.b.svc', port: 9090, prefix: '' },
  'http://a.b.svc/prom//': { origin: 'http://a.b.svc', host: 'a.b.svc', port: 80, prefix: '/prom' },
  'https://[2001:db8::1]:8443/x/y': {
    origin: 'https://[2001:db8::1]:8443',
    host: '2001:db8::1',
    port: 8443,
    prefix: '/x/y',
  },
  'http://0x7f.1': { origin: 'http://127.0.0.1', host: '127.0.0.1', port: 80, prefix: '' },
  'http://2130706433': { origin: 'http://127.0.0.1', host: '127.0.0.1', port: 80, prefix: '' },
  'http://127.0.0.1.': { origin: 'http://127.0.0.1', host: '127.0.0.1', port: 80, prefix: '' },
  'http://[::ffff:127.0.0.1]': { origin: 'http://[::ffff:7f00:1]', host: '::ffff:7f00:1', port: 80, prefix: '' },
}

const REFUSED: Readonly<Record<string, string>> = {
  '': 'the provider has no address',
  'ftp://a.b.svc': 'the address is no http or https URL',
  'file:///etc/passwd': 'the address is no http or https URL',
  'http://[fe80::1%25eth0]': 'the address is no http or https URL',
  'http://user@a.b.svc': 'the address must not have a user',
  'http://:password@a.b.svc': 'the address must not have a user',
  'https://a.b.svc?x=1': 'the address must not have a query',
  'https://a.b.svc#x': 'the address must not have a query',
}

describe('targetOf', () => {
  for (const [address, target] of Object.entries(TARGETS))
    it(`sends to ${address}`, () => expect(of(address)).to.deep.equal({ is: 'target', ...target }))

  for (const [address, message] of Object.entries(REFUSED))
    it(`refuses ${address || 'an empty address'}`, () => expect(of(address)).to.deep.equal({ is: 'failed', message }))

  it('refuses a provider without an address', () =>
    expect(providerTarget({ type: 'Web' })).to.deep.equal({ is: 'failed', message: 'the provider has no address' }))

  for (const [region, origin] of Object.entries({
    US: 'https://api.newrelic.com',
    EU: 'https://api.eu.newrelic.com',
    JP: 'https://api.jp.newrelic.com',
  } as const))
    it(`sends to New Relic in ${region}`, () => {
      const newRelic = { region: region as 'US', accountId: 1 }
      expect(providerTarget({ type: 'NewRelic', newRelic, credential: 'key' })).to.include({
        is: 'target',
        origin,
        port: 443,
      })
    })

  it('sends to New Relic in the US without a region', () =>
    expect(providerTarget({ type: 'NewRelic', address: 'http://elsewhere.svc' })).to.include({
      origin: 'https://api.newrelic.com',
    }))

  for (const address of [
    'https://example.com',
    'http://a.b.svc',
    'http://A.B.SVC:9090',
    'http://a.b.svc.cluster.local',
    'http://a.b.svc.',
  ])
    it(`lets a credential be sent to ${address}`, () => expect(of(address, 'token')).to.include({ is: 'target' }))

  for (const address of [
    ...['http://example.com', 'http://10.0.0.1', 'http://127.0.0.1:9090', 'http://[::1]', 'http://svc', 'http://a.svc'],
    ...[
      'http://a.b.svc.example.com',
      'http://a.b-svc',
      'http://asvc',
      'http://a.b.svc.cluster.local.example.com',
      'http://a.b.cluster.local',
    ],
  ])
    it(`lets no credential be sent to ${address}`, () =>
      expect(of(address, 'token')).to.deep.equal({
        is: 'failed',
        message: 'a credential is sent by https only, or to a .svc name',
      }))
})

describe('pathFor', () => {
  const target = targetAt('https://example.com/team-a/')
  const of = (path: string, params?: Readonly<Record<string, string>>) =>
    pathFor(target, { method: 'GET', path, ...(params && { params }) })

  it('puts the path behind that of the address', () => expect(of('/api/v1/query')).to.equal('/team-a/api/v1/query'))
  it('adds the encoded query', () =>
    expect(of('/q', { query: 'a{b="c"}', x: '1&y=2 #' })).to.equal(
      '/team-a/q?query=a%7Bb%3D%22c%22%7D&x=1%26y%3D2+%23',
    ))
  it('keeps an encoded slash', () => expect(of('/a%2Fb/100%25')).to.equal('/team-a/a%2Fb/100%25'))
  it('works without a prefix', () =>
    expect(pathFor(targetAt('https://example.com'), { method: 'GET', path: '/' })).to.equal('/'))

  for (const path of [
    ...[
      '',
      'q',
      '..',
      '/..',
      '/../q',
      '/a/../../q',
      '/./q',
      '/%2e%2e/q',
      '/.%2E/q',
      '/a%2f..%2f..%2fq',
      '/..%5cq',
      '/..\\q',
    ],
    ...[
      '/%252e%252e/q',
      '/a%252f..%252fq',
      '/q?x=1',
      '/q#x',
      '//other.example.com/q',
      '@other.example.com',
      ':8080/q',
      '/a b',
      '/a\r\nb',
      '/é',
    ],
  ])
    it(`refuses ${JSON.stringify(path)}`, () => expect(of(path)).to.equal(undefined))

  it('never leaves origin and prefix', () => {
    const parts = fc.constantFrom(
      '/',
      '.',
      '..',
      '%2e',
      '%2F',
      '%5c',
      '%25',
      '\\',
      '?',
      '#',
      '@',
      ':',
      'a',
      '%',
      '\t',
      'ü',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (parts) => {
        const path = of(`/${parts.join('')}`)
        if (path === undefined) return
        const url = new URL(`https://example.com${path}`)
        expect([url.origin, /^\/team-a($|\/)/.test(url.pathname), url.search]).to.deep.equal([
          'https://example.com',
          true,
          '',
        ])
        expect(`${url.pathname}`).to.equal(path)
      }),
    )
  })
})
