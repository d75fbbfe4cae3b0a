import { expect } from 'chai'
import { endOfString, joined, LimitedBytes } from '../../../common/json/bytes.ts'

describe('the end of a string', () => {
  for (const [text, end] of [
    ['a"', 1],
    ['"', 0],
    ['\\"a",', 3],
    ['\\\\",', 2],
    ['é"', 2],
    ['', 0],
    ['abc', 3],
    ['ab\\\\', 4],
    ['ab\\', 4],
  ] as const)
    it(`of ${text} is at ${end}`, () => expect(endOfString(Buffer.from(text), 0)).to.equal(end))
})

describe('bytes that come in parts', () => {
  const parts = [Uint8Array.of(1, 2), Uint8Array.of(3)]

  it('are joined, and the only part is not copied', () => {
    expect([...joined(parts)]).to.deep.equal([1, 2, 3])
    expect([...joined([])]).to.deep.equal([])
    const only = Uint8Array.of(0, 1, 2).subarray(1)
    expect([...joined([only])]).to.deep.equal([1, 2])
    expect(joined([only]).buffer).to.equal(only.buffer)
  })

  it('are all kept up to their limit, and none of more', () => {
    const all = (max?: number) => {
      const bytes = new LimitedBytes(max)
      for (const part of parts) bytes.add(part)
      return bytes.all && [...bytes.all]
    }
    expect([all(), all(3), all(2)]).to.deep.equal([[1, 2, 3], [1, 2, 3], undefined])
  })
})
