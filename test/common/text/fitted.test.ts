import { expect } from 'chai'
import fc from 'fast-check'
import { clauses, fitted, optionalClause, type Part, wholeClauses } from '../../../common/text/fitted.ts'
import { shortenedList } from '../../../common/text/list.ts'
import { LAW } from '../../property.ts'

const LONG = 'x'.repeat(300)

describe('M7: a fitted text', () => {
  const cases: Record<string, readonly [max: number, parts: readonly Part[], text: string]> = {
    'is whole if it fits': [20, ['a ', shortenedList(['b', 'c']), optionalClause(': d')], 'a b, c: d'],
    'loses an explanation before a fact': [8, ['a ', shortenedList(['b', 'c']), optionalClause(': why so')], 'a b, c'],
    'loses the last of two explanations first': [7, ['a', optionalClause('; one'), optionalClause('; two')], 'a; one'],
    'loses items of a list, which are counted': [
      20,
      ['a ', shortenedList(['bbbbbb', 'cccccc', 'dddddd'])],
      'a bbbbbb and 2 more',
    ],
    'takes the longest form that fits': [12, ['a: ', ['1111 -> 2222', '-> 2222', 'changed']], 'a: -> 2222'],
    'shortens a list before other facts': [
      20,
      [shortenedList(['aaaa', 'bbbbbbbbbb', 'c']), ' here'],
      'aaaa and 2 more here',
    ],
    'leaves out a word that is too long, with the punctuation around it': [
      40,
      [`service/cart lacks ("${LONG}"), see below`],
      'service/cart lacks ("..."), see below',
    ],
    'leaves out the longest of several words': [60, [`a ${LONG} and ${'y'.repeat(30)}`], `a ... and ${'y'.repeat(30)}`],
    'ends behind a whole word if nothing else helps': [15, ['one two three four five'], 'one two ...'],
    'is only a sign where not even one word fits': [4, ['one two'], '...'],
  }
  for (const [sentence, [max, parts, text]] of Object.entries(cases))
    it(sentence, () => expect(fitted(max, parts)).to.equal(text))

  const aWord = fc.string({ unit: fc.constantFrom(...'abc/.:-'), minLength: 1, maxLength: 300 })
  const someParts: fc.Arbitrary<readonly Part[]> = fc.oneof(
    aWord.map((word) => [` ${word}`]),
    fc.array(aWord, { minLength: 1, maxLength: 20 }).map((names) => [' ', shortenedList(names)]),
    aWord.map((word) => [optionalClause(` (${word})`)]),
  )

  it('is never too long, and each of its words is whole or left out', () =>
    fc.assert(
      fc.property(fc.array(someParts, { maxLength: 6 }), fc.integer({ min: 3, max: 256 }), (groups, max) => {
        const parts = groups.flat()
        const text = fitted(max, parts)
        expect(text.length).to.be.at.most(max)
        const words = new Set(parts.flat().flatMap((form) => form.split(' ')))
        const others = text.split(' ').filter((word) => word !== '' && !words.has(word))
        expect(others.filter((word) => !/^\(?\.\.\.[^\w]*$/.test(word))).to.deep.equal([])
      }),
      LAW,
    ))
})

describe('the clauses of a message', () => {
  const pieces = (message: string) => clauses(message).map((part) => (typeof part === 'string' ? part : part[0]))

  it('are its point, and explanations that may be left out', () => {
    expect(clauses('a: b; c; d')).to.deep.equal(['a: b', ['; c', ''], ['; d', '']])
    expect(clauses('a: b')).to.deep.equal(['a: b'])
  })

  it('do not end within a quoted value', () =>
    expect(pieces('expected a, got "b; \\"c; d"; use e')).to.deep.equal(['expected a, got "b; \\"c; d"', '; use e']))
})

describe('M7: the whole clauses of a message', () => {
  it('are all of them if they fit', () => expect(wholeClauses(10, 'aaa; bbb')).to.equal('aaa; bbb'))
  it('are those that fit, with a sign that there are more', () =>
    expect(wholeClauses(15, 'aaa; bbb; ccccc')).to.equal('aaa; bbb; ccccc'))
  it('are the first ones otherwise', () => expect(wholeClauses(14, 'aaa; bbb; ccccc')).to.equal('aaa; bbb; ...'))
  it('are the words of the first one that fit, if it is too long', () =>
    expect(wholeClauses(20, 'one two three four; five')).to.equal('one two ...; ...'))
})

describe('what others wrote', () => {
  const LENGTH = 1_000_000
  const texts: Readonly<Record<string, string>> = {
    punctuation: `${','.repeat(LENGTH)}x`,
    'quotes without an end': `a; "${'\\"'.repeat(LENGTH / 2)}`,
    'clauses behind a quote without an end': `a "${'; '.repeat(LENGTH / 2)}`,
  }
  for (const [name, text] of Object.entries(texts))
    it(`N29: takes little time: a megabyte of ${name}`, () => {
      const before = process.cpuUsage().user
      expect(wholeClauses(1_024, text).length).to.be.at.most(1_024)
      expect(clauses(text)).to.not.be.empty
      // of work that grows with the square of the length it would be minutes
      expect((process.cpuUsage().user - before) / 1_000).to.be.below(5_000)
    })

  it('N29: ends no clause at a quote that itself has no end', () =>
    expect(clauses('a "b; c" "d; e')).to.deep.equal(['a "b; c" "d', ['; e', '']]))

  const LONG = `${'\u001b'.repeat(10)}; b`

  it('N37b: is escaped in each part of a text, which counts as long as it is then', () => {
    expect(fitted(40, ['a\u202eb', ['; \u0007', '']])).to.equal('a\\u202eb; \\u0007')
    expect(fitted(10, ['a\u202eb', ['; \u0007', '']])).to.equal('a\\u202eb')
  })

  it('N37b: is escaped in the clauses of a message', () => {
    expect(wholeClauses(100, LONG)).to.equal(`${'\\u001b'.repeat(10)}; b`)
    expect(wholeClauses(20, LONG).length).to.be.at.most(20)
  })
})
