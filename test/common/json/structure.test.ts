import { expect } from 'chai'
import {
  amount,
  arrayOf,
  choice,
  flag,
  integer,
  map,
  object,
  optional,
  syntax,
  text,
  whole,
  word,
} from '../../../common/json/structure.ts'

interface Pet {
  readonly name: string
  readonly legs?: number
  readonly toys?: readonly { readonly name: string }[]
  readonly tags?: Readonly<Record<string, string>>
}

describe('a structure', () => {
  it('is data', () => {
    expect(syntax(3, '^a*$', 'all a')).to.deep.equal({ is: 'text', min: 1, max: 3, pattern: '^a*$', expected: 'all a' })
    expect(integer('int32', 0)).to.deep.equal({
      is: 'number',
      isWhole: true,
      min: 0,
      max: 2 ** 31 - 1,
      format: 'int32',
    })
    expect(optional(flag, true)).to.deep.equal({ is: 'optional', of: { is: 'flag' }, value: true })
  })

  it('is refused by the compiler where it is not of its type', () => {
    const toys = optional(arrayOf(object<{ name: string }>({ name: text(3) })))
    const [legs, tags] = [optional(whole(0, 8)), optional(map(text(3)))]
    // @ts-expect-error a text is no number
    object<Pet>({ name: text(3), legs: optional(text(3)), toys, tags })
    // @ts-expect-error a member that must be there is not optional
    object<Pet>({ name: optional(text(3)), legs, toys, tags })
    // @ts-expect-error a member that may be absent is optional
    object<Pet>({ name: text(3), legs: whole(0, 8), toys, tags })
    // @ts-expect-error a member is missing
    object<Pet>({ name: text(3), legs, toys })
    // @ts-expect-error a member that the type does not have
    object<Pet>({ name: text(3), legs, toys, tags, wings: optional(flag) })
    // @ts-expect-error another list
    object<Pet>({ name: text(3), legs, toys: optional(arrayOf(text(3))), tags })
    // @ts-expect-error another object in a list
    object<Pet>({ name: text(3), legs, toys: optional(arrayOf(object<{ a: number }>({ a: amount }))), tags })
    // @ts-expect-error a word that the type does not have
    object<{ readonly mode: 'A' | 'B' }>({ mode: word(['A', 'C']) })
    // @ts-expect-error a choice without one of its members
    choice<{ readonly a: string; b?: never } | { readonly b: number; a?: never }>({ a: optional(text(3)) })
  })
})
