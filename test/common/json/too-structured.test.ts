import { expect } from 'chai'
import { isTooStructured, MAX_STRUCTURE } from '../../../common/json/too-structured.ts'

const isOver = (text: string, max: number) => isTooStructured(Buffer.from(text), max)

describe('isTooStructured', () => {
  it('counts braces, brackets, colons and commas', () => {
    expect(isOver('{"a":[1,2]}', 6)).to.equal(false)
    expect(isOver('{"a":[1,2]}', 5)).to.equal(true)
  })
  it('does not count inside strings, also with escapes', () => {
    expect(isOver('["{{{{\\"}}}}", "\\\\"]', 3)).to.equal(false)
  })
  it('accepts two objects with the highest number of nodes', () => {
    const object = JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, [at]])))
    expect(isOver(`[${object},${object}]`, MAX_STRUCTURE)).to.equal(false)
  })
  it('is true for 300,000 keys', () => {
    expect(isOver(`{${'"a":1,'.repeat(300_000)}"b":1}`, MAX_STRUCTURE)).to.equal(true)
  })
})

/** The characters of structure in `text`: the smallest maximum that it does not exceed. */
const structureOf = (text: string): number | undefined =>
  Array.from({ length: text.length + 1 }, (_, max) => max).find((max) => !isTooStructured(Buffer.from(text), max))

describe('the structure of a body', () => {
  const cases: Record<string, readonly [string, number]> = {
    'is 0 for an empty body': ['', 0],
    'is the number of braces, brackets, colons and commas': ['{"a":[1,{}]}', 8],
    'is counted after an empty string': ['["",[[[["",[[', 9],
    'is counted after a string that ends with an escaped quote': ['["\\"",[[["x",[[', 8],
    'is counted after a string that ends with an escaped backslash': ['["\\\\",[[["x",[[', 8],
    'is not counted in a string that never ends': ['["[[[[', 1],
    'is not counted after a backslash at the end of the body': ['["[[\\', 1],
  }
  for (const [sentence, [text, expected]] of Object.entries(cases))
    it(sentence, () => expect(structureOf(text)).to.equal(expected))
})
