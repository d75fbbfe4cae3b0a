import { expect } from 'chai'
import fc from 'fast-check'
import { BadLine, linesOf } from '../../../../common/kube/client/body.ts'
import { collect } from '../../../collect.ts'
import '../../../property.ts'

async function* cut(bytes: Uint8Array, at: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = [...at.map((end) => end % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  let from = 0
  for (const end of ends) {
    yield bytes.subarray(from, end)
    from = end
  }
}

describe('linesOf', () => {
  it('finds the same lines wherever chunks end, also inside a character', async () => {
    const line = fc.string({ unit: 'binary', minLength: 1 }).map((text) => text.toWellFormed().replaceAll('\n', ' '))
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
        expect(await collect(linesOf(cut(bytes, cuts)))).to.deep.equal(lines)
      }),
    )
  })

  it('returns a last line without a line feed', async () => {
    expect(await collect(linesOf(cut(Buffer.from('one\ntwo'), [])))).to.deep.equal(['one', 'two'])
  })

  for (const [what, chunks] of Object.entries({ 'in one chunk': [], 'over several chunks': [3, 6, 9] }))
    it(`accepts a line up to the limit, ${what}, and no longer one`, async () => {
      const read = (text: string) => collect(linesOf(cut(Buffer.from(text), chunks), 10))
      expect(await read('0123456789\nab\n')).to.deep.equal(['0123456789', 'ab'])
      const outcome = await read('0123456789x\n').catch((error: unknown) => error)
      expect(outcome).to.be.instanceOf(BadLine)
    })

  it('does not read a line that is too long to its end', async () => {
    let chunks = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        chunks += 1
        yield Buffer.alloc(4)
      }
    }
    await collect(linesOf(endless(), 10)).catch(() => undefined)
    expect(chunks).to.equal(3)
  })
})
