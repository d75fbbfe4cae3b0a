import { expect } from 'chai'
import { inDocumentOrder } from '../../../common/api/document-order.ts'
import type { FieldError } from '../../../common/api/types.ts'

const at = (field: string): FieldError => ({ field, message: '', cause: 'FieldValueInvalid' })

describe('inDocumentOrder', () => {
  const document = { b: { 'x.y/z': 1, list: [{ name: 'n' }, {}] }, a: 1 }
  const order = (...fields: string[]) => inDocumentOrder('~', document, fields.map(at)).map(({ field }) => field)

  it('follows the document, not the alphabet', () => expect(order('~.a', '~.b')).to.deep.equal(['~.b', '~.a']))
  it('tells items apart', () =>
    expect(order('~.b.list[1]', '~.a', '~.b.list[0].name')).to.deep.equal(['~.b.list[0].name', '~.b.list[1]', '~.a']))
  it('puts what is missing with its parent', () =>
    expect(order('~.a', '~.b.list[1].name', '~.b["x.y/z"]')).to.deep.equal(['~.b["x.y/z"]', '~.b.list[1].name', '~.a']))
  it('begins with what is not of the document', () =>
    expect(order('~.a', 'spec.sourceRef')).to.deep.equal(['spec.sourceRef', '~.a']))
})
