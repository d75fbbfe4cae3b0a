import { expect } from 'chai'
import type { FieldError } from '../../../common/api/types.ts'
import { inDocumentOrder, visitFields } from '../../../common/json/document-order.ts'

const at = (field: string): FieldError => ({ field, message: '', cause: 'FieldValueInvalid' })

describe('inDocumentOrder', () => {
  const document = { b: { 'x.y/z': 1, list: [{ name: 'n' }, {}] }, a: 1 }
  const order = (...fields: string[]) => inDocumentOrder('~', document, fields.map(at)).map(({ field }) => field)

  it('sorts by the document, not by the alphabet', () => expect(order('~.a', '~.b')).to.deep.equal(['~.b', '~.a']))
  it('sorts the items of a list', () =>
    expect(order('~.b.list[1]', '~.a', '~.b.list[0].name')).to.deep.equal(['~.b.list[0].name', '~.b.list[1]', '~.a']))
  it('puts a missing field with its parent', () =>
    expect(order('~.a', '~.b.list[1].name', '~.b["x.y/z"]')).to.deep.equal(['~.b["x.y/z"]', '~.b.list[1].name', '~.a']))
  it('puts fields outside the document first', () =>
    expect(order('~.a', 'spec.sourceRef')).to.deep.equal(['spec.sourceRef', '~.a']))
  it('keeps the order of errors about one field', () => {
    const errors = [{ ...at('~.a'), message: 'first' }, at('~.b'), { ...at('~.a'), message: 'second' }]
    expect(inDocumentOrder('~', document, errors).map(({ message }) => message)).to.deep.equal(['', 'first', 'second'])
  })
})

describe('visitFields', () => {
  it('calls with every value and its path, parents first', () => {
    const visited: [string, unknown][] = []
    visitFields('~', { b: ['x', null], 'a/b': 7 }, (field, value) => visited.push([field, value]))
    expect(visited.slice(1)).to.deep.equal([
      ['~.b', ['x', null]],
      ['~.b[0]', 'x'],
      ['~.b[1]', null],
      ['~["a/b"]', 7],
    ])
  })
})
