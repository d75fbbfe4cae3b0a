import { expect } from 'chai'
import { isTooStructured, uidWithoutParsing } from '../../../webhook/http/intake.ts'

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

describe('uidWithoutParsing', () => {
  const head = (uid: string) => `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"${uid}"`

  it('returns only the characters of a uid, none that could end a string', () => {
    expect(uidWithoutParsing(Buffer.from(head('705ab4f5-6393_A')))).to.equal('705ab4f5-6393_A')
    for (const uid of ['', 'a b', 'a\\"b', 'a'.repeat(65)])
      expect(uidWithoutParsing(Buffer.from(head(uid)))).to.equal(undefined)
  })

  it('reads the uid only at the beginning', () =>
    expect(uidWithoutParsing(Buffer.from(`${' '.repeat(300)}${head('a')}`))).to.equal(undefined))
})
