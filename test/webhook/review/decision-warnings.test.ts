import { expect } from 'chai'
import type { Warning } from '../../../common/api/types.ts'
import { lineOf, linesOf } from '../../../webhook/review/decision.ts'

const plan = (message: string): Warning => ({ reason: 'Plan', message })

describe('the line of a warning', () => {
  it('begins with its reason', () => expect(lineOf(plan('x'))).to.equal('[Plan] x'))
  it('has no line break, which would make the warning vanish', () =>
    expect(lineOf(plan('a\nb\rc'))).to.equal('[Plan] a\\u000ab\\u000dc'))
  it('is printable ASCII', () => expect(lineOf(plan('ä\u001b[31m'))).to.equal('[Plan] ?\\u001b[31m'))

  it('is at most 120 characters, with the middle cut out', () => {
    const line = lineOf(plan(`${'a'.repeat(100)}${'z'.repeat(100)}`))
    expect(line).to.have.length(120)
    expect(line).to.match(/^\[Plan\] a+\.\.\.z+$/)
  })
})

describe('the lines of warnings', () => {
  const warnings = (count: number) => Array.from({ length: count }, (_, at) => plan(`${at}`))
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `[Plan] ${at}`)

  it('are all of twelve', () => expect(linesOf(warnings(12))).to.deep.equal(lines(12)))

  it('are eleven and the number of the others, where there are more than twelve', () =>
    expect(linesOf(warnings(14))).to.deep.equal([...lines(11), '[Plan] and 3 more']))

  it('have each warning once', () => expect(linesOf([...warnings(12), ...warnings(12)])).to.deep.equal(lines(12)))
})
