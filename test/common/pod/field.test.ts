import { expect } from 'chai'
import {
  checkRange,
  fieldAt,
  fieldIn,
  hasValue,
  isSet,
  itemsOf,
  itemsUnless,
  membersOf,
  numberOf,
  refuse,
  refuseIf,
  remedyAt,
  requireValue,
  rootField,
  textAt,
  type ValueError,
} from '../../../common/pod/field.ts'

const spec = { a: { b: [{ c: 'x' }, { c: '' }], d: null, n: 5 } }

describe('a field of a spec', () => {
  it('is found by its keys, and has no value where there is none', () => {
    const root = rootField(spec, [])
    expect(fieldIn(root, 'a', 'n').value).to.equal(5)
    for (const keys of [['z'], ['a', 'n', 'z'], ['toString']])
      expect(fieldIn(root, ...keys).value, keys.join('.')).to.equal(undefined)
  })

  it('has items, members, a text or a number; a value of another type is ignored', () => {
    const root = rootField(spec, [])
    expect(itemsOf(fieldIn(root, 'a', 'b')).map((item) => textAt(fieldAt(item, 'c')))).to.deep.equal(['x', ''])
    expect(membersOf(fieldAt(root, 'a')).map(([key]) => key)).to.deep.equal(['b', 'd', 'n'])
    expect(numberOf(fieldIn(root, 'a', 'n'))).to.equal(5)
    expect(textAt(fieldIn(root, 'a', 'n'))).to.equal('')
    expect(numberOf(fieldIn(root, 'a', 'b'))).to.equal(undefined)
    expect([...itemsOf(root), ...membersOf(fieldIn(root, 'a', 'b'))]).to.deep.equal([])
  })

  it('is set if it is neither absent nor null', () => {
    const root = rootField(spec, [])
    expect(['n', 'd', 'z'].map((key) => hasValue(fieldAt(root, 'a'), key))).to.deep.equal([true, false, false])
    expect(['n', 'd', 'z'].map((key) => isSet(fieldIn(root, 'a', key)))).to.deep.equal([true, false, false])
  })

  it('has items without those that are sound, at their own places', () => {
    const errors: ValueError[] = []
    for (const item of itemsUnless(fieldIn(rootField(spec, errors), 'a', 'b'), (item) => item === spec.a.b[0]))
      refuse(item, 'no')
    expect(errors.map(({ path }) => path)).to.deep.equal([['a', 'b', 1]])
    expect(itemsUnless(fieldAt(rootField(spec, errors), 'a'), () => false)).to.deep.equal([])
  })

  it('reports mistakes with their path, cause and other remedies', () => {
    const errors: ValueError[] = []
    const root = rootField(spec, errors)
    const [, second] = itemsOf(fieldIn(root, 'a', 'b'))
    if (!second) throw new Error('no second item')
    requireValue(fieldAt(second, 'c'), 'must be set; set it')
    refuse(second, 'no', { cause: 'FieldValueForbidden', others: [remedyAt(fieldAt(root, 'a'), 'or here')] })
    refuseIf(second, undefined)
    expect(errors).to.deep.equal([
      { path: ['a', 'b', 1, 'c'], message: 'must be set; set it', cause: 'FieldValueRequired', others: [] },
      {
        path: ['a', 'b', 1],
        message: 'no',
        cause: 'FieldValueForbidden',
        others: [{ path: ['a'], message: 'or here' }],
      },
    ])
  })

  it('may have a number in a range only', () => {
    const errors: ValueError[] = []
    const field = fieldIn(rootField(spec, errors), 'a', 'n')
    checkRange(field, 5, 5)
    checkRange(field, 6, 9)
    expect(errors.map(({ message }) => message)).to.deep.equal(['must be from 6 to 9; got 5'])
  })
})
