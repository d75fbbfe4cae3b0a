import { expect } from 'chai'
import type { FieldError } from '../../common/api/types.ts'
import { type Answer, encodeReview } from '../../webhook/review.ts'
import { answerTo } from '../../webhook/verdict.ts'

const errors = (count: number, message = 'required'): FieldError[] =>
  Array.from({ length: count }, (_, index) => ({ field: `spec.f${index}`, message, cause: 'FieldValueRequired' }))

function statusOf(found: readonly FieldError[]) {
  const answer = answerTo({ is: 'invalid', name: 'x', errors: found })
  if (answer.allowed) throw new Error('allowed with mistakes')
  return answer.status
}

describe('the answer to a verdict', () => {
  it('refuses for mistakes, and never allows beside them', () => {
    const answer = answerTo({ is: 'invalid', name: 'x', errors: errors(1) })
    expect(answer).to.have.nested.include({ allowed: false, 'status.code': 422 })
  })

  it('is 403 with what is needed, where a right is', () => {
    expect(answerTo({ is: 'forbidden', message: 'needs "create deployments.apps"' })).to.deep.equal({
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'needs "create deployments.apps"' },
    })
  })

  it('is 504 with what could not be checked, where nobody can tell', () => {
    expect(answerTo({ is: 'unchecked', message: 'the policies could not be checked in time, try again' }))
      .to.deep //
      .equal({
        allowed: false,
        status: { code: 504, reason: 'Timeout', message: 'the policies could not be checked in time, try again' },
      })
  })

  it('tells all of twenty mistakes, and no more than there are', () => {
    expect(statusOf(errors(20)).details?.causes?.at(-1)).to.deep.equal({
      reason: 'FieldValueRequired',
      field: 'spec.f19',
      message: 'required',
    })
  })

  it('counts one mistake beyond twenty, at the spec: kubectl prints no cause without a field', () => {
    expect(statusOf(errors(21)).details?.causes?.slice(19)).to.deep.equal([
      { reason: 'FieldValueRequired', field: 'spec.f19', message: 'required' },
      { reason: 'FieldValueInvalid', field: 'spec', message: 'and 1 more' },
    ])
  })

  it('cuts its message to 2,048 characters, and one of just that length not at all', () => {
    const room = 2_048 - 'spec.f0: '.length
    const whole = 'x'.repeat(room)
    expect(statusOf(errors(1, whole)).message).to.equal(`spec.f0: ${whole}`)
    const { message } = statusOf(errors(1, `${whole}y`))
    expect(message).to.equal(`spec.f0: ${'x'.repeat(room - 3)}...`)
    expect(message).to.have.length(2_048)
  })

  it('tells the audit log what is to be audited, and nothing where nothing is', () => {
    expect(answerTo({ is: 'admitted', warnings: [], audit: 'limits: spec.replicas' })).to.deep.equal({
      allowed: true,
      warnings: [],
      auditAnnotations: { 'policy-findings': 'limits: spec.replicas' },
    })
    expect(answerTo({ is: 'admitted', warnings: ['a'] })).to.deep.equal({ allowed: true, warnings: ['a'] })
  })
})

describe('the review that comes back', () => {
  const responseOf = (answer: Answer) => encodeReview('u', answer).response

  it('is of the version that the API server asked in, or it would not count', () =>
    expect(encodeReview('u', { allowed: true })).to.deep.equal({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u', allowed: true },
    }))

  it('refuses with its reason', () => {
    const status = { code: 403, reason: 'Forbidden', message: 'needs more' }
    expect(responseOf({ allowed: false, status })).to.deep.equal({ uid: 'u', allowed: false, status })
  })

  it('allows with what is to be told to the author, and to the audit log', () => {
    const told = { warnings: ['[Plan] x'], auditAnnotations: { 'policy-findings': 'limits: spec.replicas' } }
    expect(responseOf({ allowed: true, ...told })).to.deep.equal({ uid: 'u', allowed: true, ...told })
  })

  it('says nothing where there is nothing to say', () =>
    expect(responseOf({ allowed: true, warnings: [], patch: [] })).to.deep.equal({ uid: 'u', allowed: true }))
})
