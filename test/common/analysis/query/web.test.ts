import { expect } from 'chai'
import fc from 'fast-check'
import { pointedMembers, webRequest } from '../../../../common/analysis/query/web.ts'
import type { WebQuery } from '../../../../common/api/analysis/metric.ts'
import { PATH_PATTERN } from '../../../../common/api/analysis/patterns.ts'
import { LAW } from '../../../property.ts'
import { aWindowQuery } from './queries.ts'

const web = (path: string, params?: WebQuery['params']): WebQuery => ({
  path,
  pointers: { value: '/v' },
  ...(params ? { params } : {}),
})
const asked = (path: string, params?: WebQuery['params']) => webRequest(web(path, params), aWindowQuery({}), 'control')

describe('the request to a web service', () => {
  it('has the placeholders of the arm, percent-encoded in its path', () => {
    expect(
      asked('/v1/{{namespace}}/{{pods}}/{{arm}}', { of: '{{workload}} & {{pods}}', s: '{{windowSeconds}}' }),
    ).to.deep.equal({
      method: 'GET',
      path: '/v1/shop/cart-0%2Ccart-1/control',
      params: { of: 'cart & cart-0,cart-1', s: '30' },
    })
    expect(webRequest(web('/{{pods}}'), aWindowQuery({}), 'treatment')).to.deep.include({ path: '/cart-fork-0' })
  })

  it('says which span of time is asked about, in whole seconds since 1970', () => {
    const query = aWindowQuery({}, { window: { start: 1_795_269_900_400, end: 1_795_269_930_400 } })
    expect(webRequest(web('/{{windowStart}}', { until: '{{windowEnd}}' }), query, 'control')).to.deep.include({
      path: '/1795269900',
      params: { until: '1795269930' },
    })
  })

  it('keeps names of params as they are', () =>
    expect(asked('/a', JSON.parse('{"__proto__": "1", "{{arm}}": "2"}'))?.params).to.deep.equal(
      JSON.parse('{"__proto__": "1", "{{arm}}": "2"}'),
    ))

  for (const path of ['/', '/a', '/a/', '/a.b/.well-known', '/%C3%80/%FF', '/100%25', '/a%2Fb', '/a..b'])
    it(`may have the path ${path}`, () => expect(asked(path)?.path).to.equal(path))

  const ELSEWHERE = [
    ...['a', '', '//', '//evil.example', '/a//b', '/..', '/a/..', '/a/../b', '/./a', '/a?b', '/a#b', '/\\a', '/a b'],
    ...[
      '/%2e%2e/a',
      '/%2E%2e',
      '/a%2F..%2F..%2Fb',
      '/a%2f%2e%2e%2fb',
      '/a%252F..%252Fb',
      '/a%2F%2Fb',
      '/%5Ca',
      '/%2Fa',
    ],
    ...['/a%25252F..%25252Fb', '/%FF%2F..%2Fa', '/a%2F..;b%2Fc', '/a%2F.%2Fb', '/a%', '/a%2', '/%zz', '/a\nb'],
  ]
  for (const path of ELSEWHERE)
    it(`never has the path ${JSON.stringify(path)}`, () => expect(asked(path)).to.equal(undefined))

  it('stays below the address, whatever the path and however often it is decoded', () => {
    const part = fc.constantFrom(
      '/',
      'a',
      '.',
      '..',
      '%2e',
      '%2F',
      '%5c',
      '%25',
      '2F',
      '2e',
      ';',
      '\\',
      '{{pods}}',
      '%FF',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
        for (let path = asked(`/${parts.join('')}`)?.path; path !== undefined; ) {
          const { origin, pathname } = new URL(`https://a.example/prefix${path.replaceAll(/[?#]/g, '')}`)
          expect(origin).to.equal('https://a.example')
          expect(pathname.startsWith('/prefix/')).to.equal(true)
          expect(path).not.to.match(/\/\/|\\/)
          const next = unescapedOnce(path)
          path = next === path ? undefined : next
        }
      }),
      LAW,
    )
  })

  it('is made for most paths that are allowed', () =>
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(PATH_PATTERN)), (path) => {
        fc.pre(!path.includes('%'))
        expect(asked(path)?.path).to.equal(path)
      }),
    ))
})

const unescapedOnce = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (byte) => String.fromCharCode(Number(`0x${byte.slice(1)}`)))

describe('the pointers of a web metric', () => {
  it('lead to members, or nowhere', () =>
    expect(
      pointedMembers({ events: '/data/0/bad', total: '/n~1a', value: '/none' }, { data: [{ bad: 3 }], 'n/a': null }),
    ).to.deep.equal({ events: 3, total: null, value: undefined }))
})
