import { expect } from 'chai'
import { FairLine, namespaceOf } from '../../../controller/runtime/fair-line.ts'

const lineOf = (...keys: readonly string[]): FairLine => {
  const line = new FairLine()
  for (const key of keys) line.push(key)
  return line
}
const all = (line: FairLine): readonly (string | undefined)[] => Array.from({ length: line.size }, () => line.shift())

describe('a fair line', () => {
  it('serves the keys of one namespace in the order of their arrival', () =>
    expect(all(lineOf('a/2', 'a/1', 'a/3'))).to.deep.equal(['a/2', 'a/1', 'a/3']))

  it('lets namespaces take turns', () =>
    expect(all(lineOf('a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'b/2'))).to.deep.equal([
      'a/1',
      'b/1',
      'c/1',
      'a/2',
      'b/2',
      'a/3',
    ]))

  it('puts a namespace that was served behind those that wait', () => {
    const line = lineOf('a/1', 'a/2', 'b/1')
    expect(line.shift()).to.equal('a/1')
    line.push('a/3')
    expect(all(line)).to.deep.equal(['b/1', 'a/2', 'a/3'])
  })

  it('passes over a namespace that is not served, which keeps its turn', () => {
    const line = lineOf('a/1', 'a/2', 'b/1', 'b/2')
    const isServed = (key: string) => !key.startsWith('a/')
    expect([line.peek(isServed), line.shift(isServed), line.shift(isServed), line.shift(isServed)]).to.deep.equal([
      'b/1',
      'b/1',
      'b/2',
      undefined,
    ])
    expect(all(line)).to.deep.equal(['a/1', 'a/2'])
  })

  it('has no key, and size 0, when it is empty or was cleared', () => {
    const line = lineOf('a/1', 'b/1')
    line.clear()
    expect([line.size, line.shift(), new FairLine().shift()]).to.deep.equal([0, undefined, undefined])
  })

  it('counts its keys', () => {
    const line = lineOf('a/1', 'b/1', 'b/2')
    expect(line.size).to.equal(3)
    line.shift()
    expect(line.size).to.equal(2)
  })
})

describe('namespaceOf', () => {
  it('is the first part of a key', () => expect(namespaceOf('shop/cart')).to.equal('shop'))
})
