import { expect } from 'chai'
import { valueAtPointer } from '../../../common/json/pointer.ts'

// the document and the pointers of RFC 6901, section 5
const RFC = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
}
const OF_RFC: Readonly<Record<string, unknown>> = {
  '': RFC,
  '/foo': ['bar', 'baz'],
  '/foo/0': 'bar',
  '/': 0,
  '/a~1b': 1,
  '/c%d': 2,
  '/e^f': 3,
  '/g|h': 4,
  '/i\\j': 5,
  '/k"l': 6,
  '/ ': 7,
  '/m~0n': 8,
}

describe('a JSON pointer', () => {
  for (const [pointer, value] of Object.entries(OF_RFC))
    it(`leads to a value as in RFC 6901: ${JSON.stringify(pointer)}`, () =>
      expect(valueAtPointer(RFC, pointer)).to.deep.equal(value))

  for (const pointer of ['/foo/2', '/foo/-', '/foo/01', '/foo/1e0', '/foo/length', '/foo/0/0', '/bar', '/foo//', 'foo'])
    it(`leads nowhere: ${pointer}`, () => expect(valueAtPointer(RFC, pointer)).to.equal(undefined))

  it('unescapes each character once', () => expect(valueAtPointer({ '~1': 1, '/': 2 }, '/~01')).to.equal(1))

  it('sees own members only', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect(valueAtPointer({}, `/${name}`), name).to.equal(undefined)
    expect(valueAtPointer(JSON.parse('{"__proto__": {"a": 1}}'), '/__proto__/a')).to.equal(1)
    expect(valueAtPointer('text', '/length')).to.equal(undefined)
  })

  it('leads through null and undefined nowhere', () => {
    expect(valueAtPointer({ a: null }, '/a')).to.equal(null)
    expect(valueAtPointer({ a: null }, '/a/b')).to.equal(undefined)
    expect(valueAtPointer(undefined, '/a')).to.equal(undefined)
  })
})
