import { Readable } from 'node:stream'
import { expect } from 'chai'
import fc from 'fast-check'
import { UNREAD } from '../../../../common/api/object.ts'
import { at } from '../../../../common/json/json.ts'
import { bodyValue, linesOf } from '../../../../common/kube/client/body.ts'
import { KubeError } from '../../../../common/kube/client/errors.ts'
import { collect } from '../../../collect.ts'
import { piecesOf, socketPieces } from './pieces.ts'
import '../../../property.ts'

type Body = Parameters<typeof bodyValue>[0] & Readable

/** A body of these chunks, as undici gives it, as far as we use it. */
const bodyOf = (...chunks: readonly (string | Uint8Array)[]): Body => {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk))
  return Object.assign(Readable.from(bytes), { text: async () => Buffer.concat(bytes).toString() })
}

const [first = '', second = ''] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)].map((half) =>
  half.toString('latin1'),
)
const HOLDS = ['object', 'list', 'any'] as const

describe('the value of a body', () => {
  for (const holds of HOLDS) {
    it(`is parsed where it holds ${holds}, also where a character spans chunks`, async () =>
      expect(await bodyValue(bodyOf('{"a":"b', first, second, '"}'), { holds })).to.deep.equal({ a: 'bé' }))

    it(`is undefined where it should hold ${holds} and is no JSON`, async () => {
      for (const text of ['', 'no JSON', `[${'x'.repeat(200_000)}]`])
        expect(await bodyValue(bodyOf(text), { holds })).to.equal(undefined)
    })

    it(`is parsed where it holds ${holds} and is long`, async () => {
      const value = { items: Array.from({ length: 9_000 }, (_, index) => ({ name: `x${index}` })) }
      expect(await bodyValue(bodyOf(...socketPieces(JSON.stringify(value))), { holds })).to.deep.equal(value)
    })
  }

  it('may be as long as the limit, and no longer: the rest is not read', async () => {
    expect(await bodyValue(bodyOf('[1', '2]'), { holds: 'list', maxBytes: 4 })).to.deep.equal([12])
    const body = bodyOf('[1', '2]', '  ')
    const error = await bodyValue(body, { holds: 'list', maxBytes: 3 }).catch((error: unknown) => error)
    expect(error).to.be.instanceOf(KubeError)
    expect(error).to.include({ kind: 'invalid', message: 'the response is longer than 3 bytes' })
    expect(body.destroyed).to.equal(true)
  })

  const MIB = 1024 * 1024
  const escaped = { metadata: { name: 'escaped' }, data: '\u0000'.repeat(MIB) }

  it('N29: does not count what is not kept of it, up to four times the limit', async () => {
    const read = (count: number) => {
      const text = JSON.stringify({ items: Array.from({ length: count }, () => escaped) })
      return bodyValue(bodyOf(...socketPieces(text)), { holds: 'list', maxBytes: 4 * MIB })
    }
    expect(at(await read(2), 'items'))
      .to.have.length(2)
      .and.to.have.nested.property('[0].metadata.name', 'escaped')
    expect(await read(3).catch(({ kind }: KubeError) => kind)).to.equal('invalid')
  })

  it('N29: counts objects that are mostly structure for more, because they take several times as much memory', async () => {
    const dense = { spec: { ports: Array.from({ length: 30_000 }, () => ({})) } }
    const read = (count: number) => {
      const text = JSON.stringify({ items: Array.from({ length: count }, () => dense) })
      expect(text.length).to.be.below(2 * MIB)
      return bodyValue(bodyOf(...socketPieces(text)), { holds: 'list', maxBytes: 4 * MIB })
    }
    expect(at(await read(5), 'items')).to.have.length(5)
    expect(await read(6).catch(({ kind }: KubeError) => kind)).to.equal('invalid')
  })

  it('N29: reads 14,000 usual endpoints within the limit', async () => {
    const endpoint = {
      addresses: ['10.244.101.12'],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: 'node-12.example.internal',
      targetRef: {
        kind: 'Pod',
        namespace: 'shop',
        name: 'cart-5d4b9c7f86-x2x7k',
        uid: '2f0c4c2e-8a52-4a3e-9a57-5b9f4a2a5b9e',
      },
      zone: 'europe-west1-b',
    }
    const slice = { endpoints: Array.from({ length: 1_000 }, () => endpoint) }
    const text = JSON.stringify({ items: Array.from({ length: 14 }, () => slice) })
    expect(
      at(await bodyValue(bodyOf(...socketPieces(text)), { holds: 'list', maxBytes: 4 * MIB }), 'items'),
    ).to.have.length(14)
  })

  it('N29: gives other work its turn between the objects of a list', async () => {
    const text = JSON.stringify({ items: Array.from({ length: 4 }, () => ({ data: 'x'.repeat(MIB) })) })
    let turns = 0
    let isOver = false
    const count = () => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await bodyValue(bodyOf(...socketPieces(text)), { holds: 'list' })
    isOver = true
    expect(turns).to.be.at.least(4)
  })

  it('N29: is what is known of an object that is too large', async () => {
    const value = await bodyValue(bodyOf(...socketPieces(JSON.stringify(escaped))), { holds: 'object' })
    expect(value).to.deep.equal({
      apiVersion: '',
      kind: '',
      metadata: { name: 'escaped', labels: {} },
      [UNREAD]: 'it is longer than 1.5 MiB',
    })
  })

  const deep = `{"kind":"ControllerRevision","metadata":{"name":"deep"},"data":${'['.repeat(9_000)}${']'.repeat(9_000)}}`

  it('N37d: is what is known of an object that is nested deeper than honest ones, however short it is', async () => {
    const known = {
      apiVersion: '',
      kind: 'ControllerRevision',
      metadata: { name: 'deep', labels: {} },
      [UNREAD]: 'it is nested deeper than 100 levels',
    }
    expect(await bodyValue(bodyOf(...socketPieces(deep)), { holds: 'object' })).to.deep.equal(known)
    const list = `{"items":[{"metadata":{"name":"cart"}},${deep}]}`
    expect(await bodyValue(bodyOf(...socketPieces(list)), { holds: 'list' })).to.deep.equal({
      items: [{ metadata: { name: 'cart' } }, known],
    })
  })

  it('N37d: is read in a list whose items have as many levels as objects may have', async () => {
    const item = `${'['.repeat(100)}1${']'.repeat(100)}`
    expect(await bodyValue(bodyOf(`{"items":[${item}]}`), { holds: 'list' })).to.deep.equal({
      items: [JSON.parse(item)],
    })
  })
})

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
