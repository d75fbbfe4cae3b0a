import { expect } from 'chai'
import type { FieldError, Warning } from '../../../common/api/types.ts'
import { answerForDecision, deniedAnswer, lineOf, linesOf } from '../../../webhook/review/decision.ts'

const errors = (count: number, message = 'required'): FieldError[] =>
  Array.from({ length: count }, (_, index) => ({ field: `spec.f${index}`, message, cause: 'FieldValueRequired' }))

function statusOf(found: readonly FieldError[]) {
  const answer = answerForDecision({ is: 'invalid', name: 'x', errors: found })
  if (answer.allowed) throw new Error('allowed with mistakes')
  return answer.status
}

describe('the answer to a decision', () => {
  it('refuses mistakes, and gives each a cause, because kubectl prints causes', () => {
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

  it('is 403 with the right that is missing', () => {
    expect(answerForDecision({ is: 'forbidden', message: 'needs "create deployments.apps"' })).to.deep.equal({
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'needs "create deployments.apps"' },
    })
  })

  it('is 504 with what could not be checked', () => {
    expect(answerForDecision({ is: 'unchecked', message: 'the policies could not be checked in time, try again' }))
      .to.deep //
      .equal({
        allowed: false,
        status: { code: 504, reason: 'Timeout', message: 'the policies could not be checked in time, try again' },
      })
  })

  it('has a cause for each of twenty mistakes', () => {
    const causes = statusOf(errors(20)).details?.causes ?? []
    expect(causes).to.have.length(20)
    expect(causes.at(-1)).to.deep.equal({ reason: 'FieldValueRequired', field: 'spec.f19', message: 'required' })
  })

  it('counts the mistakes beyond twenty at the spec, because kubectl prints no cause without a field', () => {
    expect(statusOf(errors(21)).details?.causes?.slice(19)).to.deep.equal([
      { reason: 'FieldValueRequired', field: 'spec.f19', message: 'required' },
      { reason: 'FieldValueInvalid', field: 'spec', message: 'and 1 more' },
    ])
    expect(statusOf(errors(25)).details?.causes?.at(-1)?.message).to.equal('and 5 more')
  })

  it('does not claim to have found all mistakes where there are very many', () => {
    expect(statusOf(errors(1_000)).details?.causes?.at(-1)?.message).to.equal('and at least 980 more')
  })

  it('M7: has whole mistakes in its message of at most 2,048 characters, and the number of the others', () => {
    const whole = `${'xx '.repeat(679)}xx` // with `spec.f0: ` exactly 2,048
    expect(statusOf(errors(1, whole)).message).to.equal(`spec.f0: ${whole}`)
    expect(statusOf(errors(1, `${whole}y`)).message).to.match(/^spec\.f0:( xx)+ \.\.\.$/)
    const message = 'x'.repeat(500)
    const first = [0, 1, 2].map((index) => `spec.f${index}: ${message}`)
    expect(statusOf(errors(20, message)).message).to.equal(`${first.join(', ')} and 17 more`)
    expect(statusOf(errors(25, message)).message).to.equal(`${first.join(', ')} and 22 more`)
  })

  it('escapes line breaks, which would split a mistake', () => {
    expect(statusOf(errors(1, 'a\nb')).message).to.equal('spec.f0: a\\u000ab')
  })

  it('writes findings that are audited into the audit log, and no annotation without them', () => {
    expect(answerForDecision({ is: 'admitted', warnings: [], audit: 'limits: spec.replicas' })).to.deep.equal({
      allowed: true,
      warnings: [],
      auditAnnotations: { 'policy-findings': 'limits: spec.replicas' },
    })
  })

  it('S14: escapes format characters in the audit log', () => {
    expect(answerForDecision({ is: 'admitted', warnings: [], audit: 'a\u202e' }).auditAnnotations).to.deep.equal({
      'policy-findings': 'a\\u202e',
    })
  })

  it('prints warnings as lines', () => {
    const warnings = [{ reason: 'Plan', message: 'a' } as const]
    expect(answerForDecision({ is: 'admitted', warnings })).to.deep.equal({ allowed: true, warnings: ['[Plan] a'] })
  })
})

describe('a denial', () => {
  const reasons: Record<number, string> = {
    400: 'BadRequest',
    413: 'RequestEntityTooLarge',
    500: 'InternalError',
    599: 'InternalError',
  }
  for (const [code, reason] of Object.entries(reasons))
    it(`of ${code} is ${reason}, as apimachinery calls it`, () =>
      expect(deniedAnswer(Number(code), 'why')).to.deep.equal({
        allowed: false,
        status: { code: Number(code), reason, message: 'why' },
      }))

  it('of 429 says when to try again, or kubectl would not', () =>
    expect(deniedAnswer(429, 'why')).to.deep.equal({
      allowed: false,
      status: { code: 429, reason: 'TooManyRequests', message: 'why', details: { retryAfterSeconds: 1 } },
    }))
})

const plan = (message: string): Warning => ({ reason: 'Plan', message })

describe('the line of a warning', () => {
  it('begins with its reason', () => expect(lineOf(plan('x'))).to.equal('[Plan] x'))
  it('has no line break, which would make the warning vanish', () =>
    expect(lineOf(plan('a\nb\rc'))).to.equal('[Plan] a\\u000ab\\u000dc'))
  it('M12: is printable ASCII, in which two lines that differ stay different', () =>
    expect(lineOf(plan('ä\u001b[31m'))).to.equal('[Plan] \\u00e4\\u001b[31m'))

  it('M7: is at most 256 characters, without words that do not fit', () => {
    expect(lineOf(plan(`${'a '.repeat(124)}a`))).to.have.length(256)
    const line = lineOf(plan(`service/${'a'.repeat(300)}: no requests`))
    expect(line).to.equal('[Plan] ...: no requests')
  })
})

describe('the lines of warnings', () => {
  const warnings = (count: number) => Array.from({ length: count }, (_, at) => plan(`${at}`))
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `[Plan] ${at}`)
  const hazards = (count: number): readonly Warning[] =>
    Array.from({ length: count }, (_, at) => ({ reason: 'Policy', message: `${at}` }))

  it('are all of sixteen', () => expect(linesOf(warnings(16))).to.deep.equal(lines(16)))

  it('are fifteen and the number of the others, where there are more than sixteen', () =>
    expect(linesOf(warnings(18))).to.deep.equal([...lines(15), '[Plan] and 3 more']))

  it('have each warning once', () => expect(linesOf([...warnings(16), ...warnings(16)])).to.deep.equal(lines(16)))

  it('D6: lose other warnings before the plan, because nobody can guess the name of the fork', () => {
    const found = linesOf([...hazards(20), ...warnings(3), ...hazards(22)])
    expect(found).to.deep.equal([
      ...hazards(12).map(({ message }) => `[Policy] ${message}`),
      ...lines(3),
      '[Plan] and 10 more',
    ])
  })

  it('M7: have at most the 4,096 characters together that the API server passes on', () => {
    const found = linesOf(Array.from({ length: 40 }, (_, at) => plan(`${at}${' word'.repeat(100)}`)))
    expect(found.join('').length).to.be.at.most(4_096)
  })
})
