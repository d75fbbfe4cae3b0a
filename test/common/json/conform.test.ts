import { expect } from 'chai'
import { mismatches, picked, soundMembers } from '../../../common/json/conform.ts'
import {
  amount,
  anyNumber,
  anyObject,
  anyText,
  arrayOf,
  choice,
  countOrText,
  expecting,
  flag,
  integer,
  map,
  narrowed,
  number,
  object,
  optional,
  type Structure,
  syntax,
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

/** A pet or its name. */
const PET_OR_NAME = choice<{ readonly pet?: Pet; readonly name?: string }>({
  pet: optional(PET),
  name: optional(text(3)),
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
    [-(2 ** 31), integer('int32')],
    ['', anyText()],
    ['ab', syntax(2, '^[a-z]*$', 'letters')],
    [3, countOrText('an x', 2, '^x$')],
    ['any', countOrText('an x', 2, '^x$')],
    ['xyz', narrowed(anyText(), word(['a']))],
    [{ pet: { name: 'a' } }, PET_OR_NAME],
    [{ pet: null, name: 'a' }, PET_OR_NAME],
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
    [2 ** 31, integer('int32', 0), [': a whole number from 0 to 2147483647']],
    [1, anyText(), [': a text']],
    ['', syntax(2, '^[a-z]*$', 'letters'), [': letters']],
    [0.5, countOrText('an x', 2, '^x$'), [': a whole number, not negative, or a text']],
    [-1, countOrText('an x', 2, '^x$'), [': a whole number, not negative, or a text']],
    [{}, arrayOf(flag), [': a list']],
    [[], map(flag), [': an object']],
    [1, narrowed(anyText(), word(['a'])), [': a text']],
    [{}, PET_OR_NAME, [': an object with one of pet, name']],
    [{ pet: { name: 'a' }, name: 'a' }, PET_OR_NAME, [': an object with one of pet, name']],
    [{ pet: {} }, PET_OR_NAME, ['pet.name: a text of 1 to 3 characters']],
    [{ pet: {} }, expecting('a pet', PET_OR_NAME), [': a pet']],
  ]
  for (const [value, structure, words] of wrong)
    it(`is not met by ${JSON.stringify(value)}: ${words[0]}`, () =>
      expect(expectations(value, structure)).to.deep.equal(words))

  it('in words for the whole looks no further than the first mistake, because nobody limits some lists', () => {
    let looks = 0
    const pets = Array.from({ length: 9 }, () => ({
      get name() {
        looks += 1
        return 5
      },
    }))
    expect(expectations(pets, expecting('pets', arrayOf(PET)))).to.deep.equal([': pets'])
    expect(looks).to.equal(1)
  })

  it('does not see members of Object.prototype', () =>
    expect(expectations({}, object<{ toString: string }>({ toString: text(3) }))).to.have.lengthOf(1))
})

describe('soundMembers', () => {
  const members = object<{ readonly a?: string; readonly b?: string }>({
    a: optional(anyText()),
    b: optional(anyText()),
  })

  it('leaves out what is of another type or has no check', () =>
    expect(soundMembers({ a: 'a', b: 1, c: 'c', toString: 'x' }, members)).to.deep.equal({ a: 'a' }))

  it('is empty for what is no object', () => {
    for (const value of [undefined, null, 'a', ['a']]) expect(soundMembers(value, members)).to.deep.equal({})
  })

  const VALUES = {
    ...{ text: 'a', number: 0, boolean: false, list: ['a'], object: { name: 'a' }, null: null, nothing: undefined },
    ...{ toys: { name: 'a', toys: ['a'] }, legs: { name: 'a', legs: null }, tags: { name: 'a', tags: { x: 1 } } },
    beyond: { name: 'a much longer name', legs: 9, tags: { x: 'A', y: 'B' }, more: 1 },
  }
  const accepted = (structure: Structure) => {
    const members = Object.fromEntries(Object.keys(VALUES).map((key) => [key, optional(structure)]))
    return Object.keys(soundMembers(VALUES, object<Readonly<Record<string, never>>>(members as never)))
  }
  it('keeps values of their types only, whatever their limits; null is of no type', () => {
    expect(accepted(text(0))).to.deep.equal(['text'])
    expect(accepted(time)).to.deep.equal(['text'])
    expect(accepted(whole(3, 4))).to.deep.equal(['number'])
    expect(accepted(flag)).to.deep.equal(['boolean'])
    expect(accepted(word(['a', 'b']))).to.deep.equal(['text'])
    expect(accepted(word(['b']))).to.deep.equal([])
    expect(accepted(arrayOf(text(0), 0))).to.deep.equal(['list'])
    expect(accepted(arrayOf(flag))).to.deep.equal([])
    expect(accepted(map(anyText(), 0))).to.deep.equal(['object'])
    expect(accepted(PET)).to.deep.equal(['object', 'beyond'])
  })
})

describe('picked', () => {
  it('has only the members that the structure knows, and none that is null', () =>
    expect(
      picked<Pet>({ name: 'a', legs: null, more: 1, toys: [{ name: 'b', more: 1 }], tags: { x: 'y' } }, PET),
    ).to.deep.equal({ name: 'a', toys: [{ name: 'b' }], tags: { x: 'y' } }))
})
