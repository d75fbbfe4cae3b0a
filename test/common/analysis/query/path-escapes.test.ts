import { expect } from 'chai'
import { escapesPath } from '../../../../common/analysis/query/path-escapes.ts'

describe('a path leads elsewhere', () => {
  for (const path of [
    '/a/../b',
    '/..',
    '/a/.',
    '//b',
    '/a\\b',
    '/a%2f..%2fb',
    '/%252e%252e/b',
    '/%FF%2F..%2Fa',
    '/..;x/b',
  ])
    it(`with ${path}`, () => expect(escapesPath(path)).to.equal(true))

  for (const path of ['/', '/a/b', '/a.b/..c'.replace('..', '.'), '/.well-known', '/%20', '/100%', '/a/.;b'])
    it(`but not with ${path}`, () => expect(escapesPath(path)).to.equal(false))

  const ENCODED: Readonly<Record<string, string>> = {
    'encoded three times': '/%25252e%25252e/b',
    'of bytes that are no UTF-8': '/%c0%ae%c0%ae/b',
    'of three bytes': '/%e0%80%ae%e0%80%ae/b',
    'of four bytes': '/%f0%80%80%ae%f0%80%80%ae/b',
    'with a slash of bytes that are no UTF-8': '/a%c0%afb',
    'as some servers of Windows write them': '/%u002e%u002e/b',
    'as %uff0e': '/%uFF0E%uFF0E/b',
    'of wide dots': '/%EF%BC%8E%EF%BC%8E/b',
    'of one character': '/%E2%80%A5/b',
    'with a wide backslash': '/a%EF%BC%BCb',
    'with a tab between': '/.%09./b',
    'with a line break between': '/.%250a./b',
    'with a zero between': '/.%00./b',
    'before a zero': '/..%00/b',
    'before a parameter': '/%2e%2e%3bx/b',
    'after an encoded backslash': '/a%255c..%255cb',
  }
  for (const [how, path] of Object.entries(ENCODED))
    it(`N37g: with dots or slashes ${how}`, () => expect(escapesPath(path)).to.equal(true))

  for (const path of ['/%C3%A9', '/%E2%82%AC', '/%F0%9F%98%80', '/%u', '/a%2Fb/100%25', '/%E9t%E9'])
    it(`N37g: but not with ${path}`, () => expect(escapesPath(path)).to.equal(false))
})
