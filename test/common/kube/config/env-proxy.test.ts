import { expect } from 'chai'
import { proxyFor } from '../../../../common/kube/config/env-proxy.ts'

const PROXY = 'http://proxy:3128'

describe('proxyFor', () => {
  const of = (url: string, vars: Readonly<Record<string, string>>) => proxyFor(new URL(url), vars)

  it('takes the variable of the scheme, first in upper case', () => {
    const both = { HTTPS_PROXY: 'http://a', https_proxy: 'http://b', http_proxy: 'http://c' }
    expect(of('https://api', both)).to.equal('http://a')
    expect(of('http://api', both)).to.equal('http://c')
    expect(of('https://api', { ...both, HTTPS_PROXY: '' })).to.equal('http://b')
    expect(of('https://api', { HTTP_PROXY: 'http://a', ALL_PROXY: 'http://b' })).to.equal(undefined)
  })

  const addresses: Record<string, string | undefined> = {
    'proxy:3128': 'http://proxy:3128',
    'proxy.example': 'http://proxy.example',
    'https://proxy': 'https://proxy',
    'socks5://proxy:1080': 'socks5://proxy:1080',
    'http://me:secret@proxy': 'http://me:secret@proxy',
    'a proxy': undefined,
  }
  for (const [address, expected] of Object.entries(addresses))
    it(`reads ${address}`, () => expect(of('https://api', { HTTPS_PROXY: address })).to.equal(expected))

  for (const url of ['https://localhost', 'https://127.0.0.1', 'https://127.9.9.9:6443', 'https://[::1]:6443'])
    it(`has none for ${url}, which is this machine`, () =>
      expect(of(url, { HTTPS_PROXY: PROXY, NO_PROXY: 'x' })).to.equal(undefined))

  /** of `NO_PROXY`, whether the proxy is left out for a URL */
  const excluded: readonly (readonly [noProxy: string, url: string, isExcluded: boolean])[] = [
    ['', 'https://api.example', false],
    ['*', 'https://api.example', true],
    ['x, *', 'https://10.0.0.1', true],
    ['example', 'https://api.example', true],
    ['EXAMPLE', 'https://api.Example', true],
    ['api.example', 'https://api.example', true],
    ['api.example', 'https://xapi.example', false],
    ['.example', 'https://api.example', true],
    ['.api.example', 'https://api.example', false],
    ['*.example', 'https://a.api.example', true],
    ['*.api.example', 'https://api.example', false],
    ['api.example:443', 'https://api.example', true],
    ['api.example:443', 'https://api.example:6443', false],
    ['api.example:6443', 'https://api.example:6443', true],
    [' a , ,api.example', 'https://api.example', true],
    [':443', 'https://api.example', false],
    ['10.0.0.1', 'https://10.0.0.1:6443', true],
    ['10.0.0.1:443', 'https://10.0.0.1:6443', false],
    ['10.0.0.0/8', 'https://10.9.9.9', true],
    ['10.0.0.0/8', 'https://11.0.0.1', false],
    ['10.0.0.0/33', 'https://10.0.0.1', false],
    ['10.0.0.0/8', 'https://api.example', false],
    ['0.0.1', 'https://10.0.0.1', false],
    ['fd00::1', 'https://[fd00::1]:6443', true],
    ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
    ['fd00::/8', 'https://[fd12::1]', true],
    ['fd00::/8', 'https://10.0.0.1', false],
    ['bücher.example', 'https://bücher.example', true],
  ]
  for (const [noProxy, url, isExcluded] of excluded)
    it(`NO_PROXY ${JSON.stringify(noProxy)} ${isExcluded ? 'holds' : 'does not hold'} for ${url}`, () => {
      const expected = isExcluded ? undefined : PROXY
      expect(of(url, { HTTPS_PROXY: PROXY, NO_PROXY: noProxy })).to.equal(expected)
      expect(of(url, { https_proxy: PROXY, no_proxy: noProxy })).to.equal(expected)
    })
})
