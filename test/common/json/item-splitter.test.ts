import { expect } from 'chai'
import fc from 'fast-check'
import { LimitedBytes } from '../../../common/json/bytes.ts'
import { ItemSplitter } from '../../../common/json/item-splitter.ts'
import { parseJson } from '../../../common/json/json.ts'
import { LAW } from '../../property.ts'

const PATH = ['data', 'result']
const MAX_BYTES = 40

function splitterOf(path: readonly string[]) {
  const rest = new LimitedBytes()
  const item = () => new LimitedBytes(MAX_BYTES)
  return { rest, splitter: new ItemSplitter({ path: path.map((key) => [key]), rest, item }) }
}

/** What an answer says whose bytes come in these chunks; undefined: it is not JSON. */
function splitIn(chunks: readonly Uint8Array[], path: readonly string[] = PATH) {
  const { splitter, rest: others } = splitterOf(path)
  const items = chunks.flatMap((chunk) => [...splitter.items(chunk)].map(({ all }) => all))
  const read = items.map((item) => (item ? parseJson(Buffer.from(item).toString()) : 'too long'))
  const rest = parseJson(`${others.all}`)
  return rest === undefined || read.includes(undefined) ? undefined : { items: read, rest }
}

const bytesOf = (text: string): Buffer => Buffer.from(text)
const inTwo = (bytes: Buffer, at: number): readonly Uint8Array[] => [bytes.subarray(0, at), bytes.subarray(at)]
const byteByByte = (bytes: Buffer): readonly Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte))

const SPACE = fc.constantFrom('', ' ', '\n', '\t\r ')
const TEXT = fc.string({ maxLength: 5, unit: 'binary' })
const ANY = fc
  .oneof(TEXT, fc.double(), fc.boolean(), fc.array(TEXT, { maxLength: 2 }), fc.dictionary(TEXT, TEXT, { maxKeys: 2 }))
  .map((value) => JSON.stringify(value))
const KEY = fc.oneof(fc.constantFrom('data', 'result', 'status', '"', '\\', '[', '{"data":{"result":['), TEXT)

/** An answer with a list at the path, as a text, and what it says. */
const answers = fc
  .record({
    items: fc.array(ANY, { maxLength: 3 }),
    around: fc.dictionary(KEY, ANY, { maxKeys: 2 }),
    beside: fc.dictionary(KEY, ANY, { maxKeys: 2 }),
    isFirst: fc.boolean(),
    space: SPACE,
  })
  .map(({ items, around, beside, isFirst, space }) => {
    const member = (name: string, text: string) => `${space}${JSON.stringify(name)}${space}:${space}${text}${space}`
    const others = (all: Readonly<Record<string, string>>, without: string) =>
      Object.entries(all).flatMap(([name, text]) => (name === without ? [] : [member(name, text)]))
    const object = (members: readonly string[], last: string) =>
      `{${(isFirst ? [last, ...members] : [...members, last]).join(',')}}`
    const list = `[${space}${items.join(`${space},${space}`)}${space}]`
    const text = (result: string) =>
      object(others(around, 'data'), member('data', object(others(beside, 'result'), member('result', result))))
    return { text: text(list), rest: text('[]'), items }
  })

describe('the items of a long list', () => {
  it('N30: are the same, wherever the answer is cut into chunks', () =>
    fc.assert(
      fc.property(answers, ({ text, rest, items }) => {
        const bytes = bytesOf(text)
        const expected = {
          items: items.map((item) => (bytesOf(item).length > MAX_BYTES ? 'too long' : JSON.parse(item))),
          rest: JSON.parse(rest),
        }
        const split = splitIn(byteByByte(bytes))
        // white space around an item counts, too
        if (!split?.items.includes('too long')) expect(split).to.deep.equal(expected)
        for (let at = 0; at <= bytes.length; at += 1) expect(splitIn(inTwo(bytes, at))).to.deep.equal(split)
      }),
    ))

  it('N30: are JSON with the rest if and only if the answer is', () =>
    fc.assert(
      fc.property(
        answers,
        fc.nat(),
        fc.constantFrom('', ',', ']', '}', '[', '{', '"', '\\', ':', '1', ' ', '\ufeff', 'é'),
        fc.nat({ max: 2 }),
        ({ text }, place, inserted, removed) => {
          const at = place % (text.length + 1)
          const changed = text.slice(0, at) + inserted + text.slice(at + removed)
          const bytes = bytesOf(changed)
          const isJson = parseJson(bytes.toString()) !== undefined
          expect(splitIn([bytes]) !== undefined, changed).to.equal(isJson || isTooLong(bytes))
        },
      ),
      LAW,
    ))

  const isTooLong = (bytes: Buffer): boolean => splitIn([bytes])?.items.includes('too long') === true

  it('N30: are those of the first list at the path, and of no other', () => {
    const split = (text: string, path = PATH) => splitIn([bytesOf(text)], path)?.items
    expect(split('{"data":{"result":[1,[2,3],{"a":[4]}]},"result":[5]}')).to.deep.equal([1, [2, 3], { a: [4] }])
    expect(split('{"data":{"result":[1],"result":[2]}}')).to.deep.equal([1])
    expect(split('{"x":{"result":[1]},"data":{"data":{"result":[1]},"y":[{"result":[1]}]}}')).to.deep.equal([])
    expect(split('{"data":[{"result":[1]}],"x":"data"}')).to.deep.equal([])
    expect(split('{"x":"data","y":{"result":[1]}}')).to.deep.equal([])
    expect(split('{"data":{"result":{"0":1}}}')).to.deep.equal([])
    expect(split('{"d\\u0061ta":{"result":[1]}}')).to.deep.equal([])
    expect(split('[1,2]')).to.deep.equal([])
    expect(split('[1,2]', [])).to.deep.equal([])
  })

  it('N30: have no bytes in memory where one is too long, and the rest says how large and deep it is', () => {
    const { splitter, rest } = splitterOf(PATH)
    const long = `"${'x'.repeat(100_000)}"`
    const text = `{"status":"ok","data":{"result":[1,${long},${'['.repeat(15)}${']'.repeat(15)}],"more":[1,2]}}`
    const items = byteByByte(bytesOf(text)).flatMap((chunk) => [...splitter.items(chunk)])
    expect(items.map(({ all }) => all?.length)).to.deep.equal([1, undefined, 30])
    expect(splitter.deepest).to.equal(18)
    expect(splitter.values).to.be.within(8, 16)
    expect(`${rest.all}`).to.equal('{"status":"ok","data":{"result":[],"more":[1,2]}}')
  })
})
