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
})
