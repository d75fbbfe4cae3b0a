import { expect } from 'chai'
import type { FieldError } from '../../common/api/types.ts'
import { answerTo } from '../../webhook/verdict.ts'

const errors = (count: number, message = 'required'): FieldError[] =>
  Array.from({ length: count }, (_, at) => ({ field: `spec.f${at}`, message, cause: 'FieldValueRequired' }))

function statusOf(found: readonly FieldError[]) {
  const answer = answerTo({ is: 'invalid', name: 'x', errors: found })
  if (answer.allowed) throw new Error('a verdict with errors was allowed')
  return answer.status
}

describe('answerTo', () => {
  it('gives each mistake a cause, for kubectl prints those', () => {
    expect(statusOf(errors(1))).to.deep.equal({
      code: 422,
      reason: 'Invalid',
      message: 'spec.f0: required',
      details: {
        group: 'experimentcontroller.example.com',
        kind: 'ExperimentDeployment',
        name: 'x',
        causes: [{ reason: 'FieldValueRequired', field: 'spec.f0', message: 'required' }],
      },
    })
  })
  it('tells 20 of 25, and that there are 5 more', () => {
    const causes = statusOf(errors(25)).details?.causes ?? []
    expect(causes).to.have.length(21)
    expect(causes.at(-1)?.message).to.equal('and 5 more')
  })

  it('does not claim to have found all of very many', () => {
    expect(statusOf(errors(1_000)).details?.causes?.at(-1)?.message).to.equal('and at least 980 more')
  })
  it('keeps the message below 2 KiB', () => {
    expect(statusOf(errors(20, 'x'.repeat(500))).message.length).to.be.at.most(2_048)
  })
  it('lets no line break tear the list apart', () => {
    expect(statusOf(errors(1, 'a\nb')).message).to.equal('spec.f0: a?b')
  })
})
