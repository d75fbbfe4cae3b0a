import { expect } from 'chai'
import type { FieldError } from '../../../common/api/types.ts'
import { formatErrors, stalled, waiting } from '../../../common/facts/decision.ts'

const errors = (count: number): readonly FieldError[] =>
  Array.from({ length: count }, (_, index) => ({
    field: `spec.f${index + 1}`,
    message: 'wrong',
    cause: 'FieldValueInvalid',
  }))

describe('waiting', () => {
  it('is tried again after a minute, or after the given time', () => {
    const expected = { is: 'waiting', retryAfterMs: 60_000, reason: 'SourceNotFound', message: 'no deployment/cart' }
    expect(waiting('SourceNotFound', 'no deployment/cart')).to.deep.equal(expected)
    expect(waiting('SourceNotFound', 'no deployment/cart', 5_000).retryAfterMs).to.equal(5_000)
  })
})

describe('stalled', () => {
  it('has a reason and a message, and no time', () =>
    expect(stalled('NameConflict', 'taken')).to.deep.equal({ is: 'stalled', reason: 'NameConflict', message: 'taken' }))
})

describe('formatErrors', () => {
  it('joins fields and messages', () => expect(formatErrors(errors(2))).to.equal('spec.f1: wrong; spec.f2: wrong'))

  it('shows five errors at most, and counts the rest', () => {
    expect(formatErrors(errors(5))).to.match(/spec\.f5: wrong$/)
    expect(formatErrors(errors(7))).to.match(/spec\.f5: wrong; and 2 more$/)
  })

  it('is empty without errors', () => expect(formatErrors([])).to.equal(''))
})
