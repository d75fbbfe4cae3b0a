import { expect } from 'chai'
import {
  each,
  isBoolean,
  isNumber,
  isText,
  listOf,
  objectWith,
  oneOf,
  orAbsent,
  soundMembers,
} from '../../../common/json/members.ts'

const VALUES = { text: 'a', number: 0, boolean: false, list: ['a'], object: { a: 'a' }, null: null, nothing: undefined }
const accepted = (holds: (value: unknown) => boolean) =>
  Object.entries(VALUES).flatMap(([name, value]) => (holds(value) ? [name] : []))

describe('a check of a member', () => {
  it('accepts values of its type only', () => {
    expect(accepted(isText)).to.deep.equal(['text'])
    expect(accepted(isNumber)).to.deep.equal(['number'])
    expect(accepted(isBoolean)).to.deep.equal(['boolean'])
    expect(accepted(oneOf(['a', 'b']))).to.deep.equal(['text'])
    expect(accepted(listOf(isText))).to.deep.equal(['list'])
    expect(accepted(objectWith(each(isText, 'a')))).to.deep.equal(['object'])
    expect(accepted(orAbsent(isText))).to.deep.equal(['text', 'nothing'])
  })

  it('accepts a list or an object only if all that it holds is sound', () => {
    expect(listOf(isText)(['a', 1])).to.equal(false)
    expect(objectWith(each(isText, 'a', 'b'))({ a: 'a' })).to.equal(false)
    expect(objectWith(each(isText, 'a'))({ a: 'a', more: 1 })).to.equal(true)
  })
})

describe('soundMembers', () => {
  const members = each(isText, 'a', 'b')

  it('leaves out what is of another type or has no check', () =>
    expect(soundMembers({ a: 'a', b: 1, c: 'c', toString: 'x' }, members)).to.deep.equal({ a: 'a' }))

  it('is empty for what is no object', () => {
    for (const value of [undefined, null, 'a', ['a']]) expect(soundMembers(value, members)).to.deep.equal({})
  })
})
