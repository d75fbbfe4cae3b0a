import { expect } from 'chai'
import type { Warning } from '../../../common/api/types.ts'
import { lineOf, linesOf } from '../../../webhook/review/decision.ts'

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
