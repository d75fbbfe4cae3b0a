import { expect } from 'chai'
import fc from 'fast-check'
import { UNREAD } from '../../../../common/api/object.ts'
import { at } from '../../../../common/json/json.ts'
import { ListSplitter } from '../../../../common/kube/client/list-splitter.ts'
import { MAX_OBJECT_BYTES } from '../../../../common/kube/client/objects.ts'
import { piecesOf, socketPieces } from './pieces.ts'
import '../../../property.ts'

/** What the list in these pieces is read as, and how many bytes are parsed at once, and kept, at most. */
function split(pieces: readonly Uint8Array[]) {
  const splitter = new ListSplitter()
  let [turn, kept] = [0, 0]
  for (const piece of pieces) {
    const before = splitter.parsed
    splitter.add(piece)
    turn = Math.max(turn, splitter.parsed - before)
    kept = Math.max(kept, splitter.kept)
  }
  return { value: splitter.end(), turn, kept }
}

const MIB = 1024 * 1024

/** A Service as the API server writes it, with a selector of `count` pairs. */
const aService = (name: string, count: number) => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '7' },
  spec: { selector: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, ''])) },
})

const listOf = (...items: readonly unknown[]) => ({ kind: 'ServiceList', metadata: { resourceVersion: '9' }, items })

describe('a list that is split while it arrives', () => {
  it('is what JSON.parse makes of it, wherever the pieces end', () => {
    const inner = fc.jsonValue({ maxDepth: 3 })
    const lists = ['items', 'rows'].map((member) =>
      fc.record(
        {
          kind: fc.string({ unit: 'binary' }),
          columnDefinitions: fc.array(inner),
          [member]: fc.array(inner),
          metadata: fc.dictionary(fc.constantFrom('items', 'continue', 'x"rows":['), inner),
        },
        { requiredKeys: [] },
      ),
    )
    fc.assert(
      fc.property(fc.oneof(...lists), fc.array(fc.nat()), fc.boolean(), (value, cuts, isPretty) => {
        const text = JSON.stringify(value, undefined, isPretty ? 2 : undefined)
        expect(split(piecesOf(Buffer.from(text), cuts)).value).to.deep.equal(JSON.parse(text))
      }),
    )
  })

  it('is undefined where it is not JSON, as a whole or in an item', () => {
    for (const text of ['', 'no JSON', '{"items":[', '{"items":[{"a":1},{"b":}]}', '{"items":[{}],', '{"items":[{},]}'])
      expect(split([Buffer.from(text)]).value, text).to.equal(undefined)
  })

  it('N29: parses four Services of a megabyte one by one, each if its structure is that of an honest object', () => {
    const long = (name: string) => ({ ...aService(name, 1), data: 'x'.repeat(MIB) })
    const text = JSON.stringify(listOf(...['a', 'b', 'c', 'd'].map(long)))
    const { value, turn } = split(socketPieces(text))
    expect(value).to.deep.equal(JSON.parse(text))
    expect(turn).to.be.within(MIB, MAX_OBJECT_BYTES)
  })

  it('N29: marks an object with too much structure, or that is too long, and reads the ones beside it', () => {
    const escaped = { ...aService('escaped', 1), data: '\u0000'.repeat(300_000) }
    const text = JSON.stringify(listOf(aService('a', 1), aService('wide', 95_000), escaped, aService('b', 1)))
    expect(text.length).to.be.above(2.5 * MIB)
    const { value, kept } = split(socketPieces(text))
    const [a, wide, long, b] = at(value, 'items') as readonly {
      readonly [UNREAD]?: string
      readonly metadata: object
    }[]
    expect([a, b]).to.deep.equal([aService('a', 1), aService('b', 1)])
    expect(wide?.[UNREAD]).to.equal('it has more than 100,000 keys and items')
    expect(long?.[UNREAD]).to.equal('it is longer than 1.5 MiB')
    for (const [name, of] of Object.entries({ wide, escaped: long }))
      expect(of?.metadata).to.deep.equal({ ...aService(name, 0).metadata, labels: {} })
    expect(kept).to.be.at.most(MAX_OBJECT_BYTES + MIB)
  })
})
