import { expect } from 'chai'
import {
  amount,
  anyNumber,
  anyObject,
  arrayOf,
  flag,
  map,
  mismatches,
  number,
  object,
  optional,
  picked,
  type Structure,
  text,
  time,
  whole,
  word,
} from '../../../common/json/structure.ts'

interface Pet {
  readonly name: string
  readonly legs?: number
  readonly toys?: readonly { readonly name: string }[]
  readonly tags?: Readonly<Record<string, string>>
}

const PET = object<Pet>({
  name: text(3),
  legs: optional(whole(0, 8), 4),
  toys: optional(arrayOf(object<{ name: string }>({ name: text(3) }), 2, 1)),
  tags: optional(map(text(3, '^[a-z]*$', 'lower-case letters'), 1)),
})

const expectations = (value: unknown, structure: Structure) =>
  mismatches(value, structure).map(({ path, expected }) => `${path.join('.')}: ${expected}`)

describe('a structure', () => {
  const sound: readonly (readonly [value: unknown, structure: Structure])[] = [
    ['abc', text(3)],
    ['', text(3, '^a*$')],
    [8, whole(0, 8)],
    [0.5, number(0, 1)],
    [-1e308, anyNumber],
    [0, amount],
    ['b', word(['a', 'b'])],
    [false, flag],
    ['2026-11-21T14:05:00Z', time],
    [{ any: 1 }, anyObject],
    [{ name: 'a' }, PET],
    [{ name: 'a', legs: null, more: 1 }, PET],
    [{ name: 'a', legs: 0, toys: [{ name: 'b' }], tags: { x: '' } }, PET],
  ]
  for (const [value, structure] of sound)
    it(`is met by ${JSON.stringify(value)}`, () => expect(mismatches(value, structure)).to.deep.equal([]))

  const wrong: readonly (readonly [value: unknown, structure: Structure, words: readonly string[]])[] = [
    ['', text(3), [': a text of 1 to 3 characters']],
    ['abcd', text(3), [': a text of 1 to 3 characters']],
    [1, text(3), [': a text of 1 to 3 characters']],
    ['B', text(3, '^a*$', 'only a'), [': only a']],
    [9, whole(0, 8), [': a whole number from 0 to 8']],
    [-1, whole(0, 8), [': a whole number from 0 to 8']],
    [0.5, whole(0, 8), [': a whole number from 0 to 8']],
    ['1', number(0, 1), [': a number from 0 to 1']],
    [Number.NaN, number(0, 1), [': a number from 0 to 1']],
    ['c', word(['a', 'b']), [': a or b']],
    ['true', flag, [': true or false']],
    ['noon', time, [': a time, such as 2026-11-21T14:05:00Z']],
    [0, time, [': a time, such as 2026-11-21T14:05:00Z']],
    [[], anyObject, [': an object']],
    [[], PET, [': an object']],
    [{}, PET, ['name: a text of 1 to 3 characters']],
    [{ name: 'a', toys: [] }, PET, ['toys: a list of 1 to 2 items']],
    [{ name: 'a', toys: {} }, PET, ['toys: a list of 1 to 2 items']],
    [{ name: 'a', toys: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }, PET, ['toys: a list of 1 to 2 items']],
    [
      { name: 'a', legs: 'two', toys: [{ name: 'a' }, {}] },
      PET,
      ['legs: a whole number from 0 to 8', 'toys.1.name: a text of 1 to 3 characters'],
    ],
    [{ name: 'a', tags: [] }, PET, ['tags: an object of at most 1 members']],
    [{ name: 'a', tags: { x: 'a', y: 'b' } }, PET, ['tags: an object of at most 1 members']],
    [{ name: 'a', tags: { x: 'A' } }, PET, ['tags.x: lower-case letters']],
  ]
  for (const [value, structure, words] of wrong)
    it(`is not met by ${JSON.stringify(value)}: ${words[0]}`, () =>
      expect(expectations(value, structure)).to.deep.equal(words))

  it('does not see members of Object.prototype', () =>
    expect(expectations({}, object<{ toString: string }>({ toString: text(3) }))).to.have.lengthOf(1))
})

describe('picked', () => {
  it('has only the members that the structure knows, and none that is null', () =>
    expect(
      picked<Pet>({ name: 'a', legs: null, more: 1, toys: [{ name: 'b', more: 1 }], tags: { x: 'y' } }, PET),
    ).to.deep.equal({ name: 'a', toys: [{ name: 'b' }], tags: { x: 'y' } }))
})
