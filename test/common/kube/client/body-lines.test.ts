import { expect } from 'chai'
import fc from 'fast-check'
import { linesOf } from '../../../../common/kube/client/body.ts'
import { collect } from '../../../collect.ts'
import { piecesOf, socketPieces } from './pieces.ts'
import '../../../property.ts'

async function* sent(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

describe('linesOf', () => {
  it('finds the same lines wherever chunks end, also inside a character', async () => {
    const line = fc.string({ unit: 'binary', minLength: 1 }).map((text) => text.toWellFormed().replaceAll('\n', ' '))
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
        expect(await collect(linesOf(sent(piecesOf(bytes, cuts))))).to.deep.equal(lines)
      }),
    )
  })

  it('returns a last line without a line feed', async () => {
    expect(await collect(linesOf(sent([Buffer.from('one\ntwo')])))).to.deep.equal(['one', 'two'])
  })

  const modified = (object: object) => `${JSON.stringify({ type: 'MODIFIED', object })}\n`
  const metadata = { name: 'large', namespace: 'shop', uid: 'u1', resourceVersion: '7' }
  const tooLarge: Record<string, readonly [spec: object, unread: string]> = {
    'has too much structure': [
      { selector: Object.fromEntries(Array.from({ length: 95_000 }, (_, index) => [`k${index}`, ''])) },
      'it has more than 100,000 keys and items',
    ],
    'is too long': [{ data: '\u0000'.repeat(300_000) }, 'it is longer than 1.5 MiB'],
  }
  for (const [what, [spec, unread]] of Object.entries(tooLarge))
    it(`N29: names an object that ${what}, and goes on with the next line`, async () => {
      const other = modified({ metadata: { ...metadata, name: 'other' } })
      const text = modified({ kind: 'Service', apiVersion: 'v1', metadata, spec }) + other
      const [line = '', next = '', ...more] = await collect(linesOf(sent(socketPieces(text))))
      expect(JSON.parse(line)).to.deep.equal({
        type: 'MODIFIED',
        unread,
        object: { kind: 'Service', apiVersion: 'v1', metadata: { ...metadata, labels: {} } },
      })
      expect([`${next}\n`, more]).to.deep.equal([other, []])
    })

  it('N29: reads the largest object that is parsed, whatever is around it', async () => {
    const text = modified({ data: 'x'.repeat(1.5 * 1024 * 1024 - '{"data":""}'.length) })
    expect(await collect(linesOf(sent(socketPieces(text))))).to.deep.equal([text.trim()])
  })
})
