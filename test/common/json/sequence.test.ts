import { expect } from 'chai'
import fc from 'fast-check'
import { advance, isComplete, matchesWhole, start, type Token } from '../../../common/json/sequence.ts'
import { LAW } from '../../property.ts'

/** `ab*` as a pattern of steps of one letter; `*` stands for any number of steps. */
const patternOf = (text: string): readonly Token<string>[] =>
  [...text].map((letter) => (letter === '*' ? 'many' : (step: string) => step === letter))

const matches = (pattern: string, steps: string): boolean => matchesWhole(patternOf(pattern), [...steps])

describe('matchesWhole', () => {
  const cases: readonly (readonly [pattern: string, steps: string, expected: boolean])[] = [
    ['', '', true],
    ['', 'a', false],
    ['ab', 'ab', true],
    ['ab', 'a', false],
    ['ab', 'abb', false],
    ['*', '', true],
    ['*', 'abab', true],
    ['a*b', 'ab', true],
    ['a*b', 'abab', true],
    ['a*b', 'aba', false],
    ['**a', 'ba', true],
  ]
  for (const [pattern, steps, expected] of cases)
    it(`says that "${pattern}" ${expected ? 'matches' : 'does not match'} "${steps}"`, () =>
      expect(matches(pattern, steps)).to.equal(expected))

  it('agrees with regular expressions', () => {
    const aPattern = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 6 }).map((tokens) => tokens.join(''))
    const steps = fc.array(fc.constantFrom('a', 'b'), { maxLength: 8 }).map((letters) => letters.join(''))
    fc.assert(
      fc.property(aPattern, steps, (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '[ab]*')}$`)
        expect(matches(pattern, text)).to.equal(expression.test(text))
      }),
      LAW,
    )
  })

  it('asks each token at most once for each step', () => {
    let asked = 0
    const letter: Token<string> = (step) => {
      asked += 1
      return step === 'a'
    }
    const pattern = Array.from({ length: 20 }, () => ['many', letter] as const).flat()
    expect(matchesWhole(pattern, [...'a'.repeat(50), 'b'])).to.equal(false)
    expect(asked).to.be.at.most(20 * 51)
  })
})

describe('advance', () => {
  const pattern = patternOf('a*b')

  it('returns all positions that are possible after a step, in ascending order', () => {
    expect(start(pattern)).to.deep.equal([0])
    expect(advance(pattern, [0], 'a')).to.deep.equal([1, 2])
    expect(advance(pattern, [1, 2], 'b')).to.deep.equal([1, 2, 3])
  })

  it('returns no position where the pattern does not go on like that', () =>
    expect(advance(pattern, [0], 'b')).to.deep.equal([]))

  it('completes the pattern at its end only', () =>
    expect([isComplete(pattern, [1, 2]), isComplete(pattern, [1, 2, 3])]).to.deep.equal([false, true]))
})
