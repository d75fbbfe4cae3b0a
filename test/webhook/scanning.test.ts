import { expect } from 'chai'
import { isTooStructured, uidWithoutParsing } from '../../webhook/scan.ts'

/** Characters of structure in `text`: the smallest maximum that it does not pass; undefined where it passes any. */
const structureOf = (text: string): number | undefined =>
  Array.from({ length: text.length + 1 }, (_, max) => max).find((max) => !isTooStructured(Buffer.from(text), max))

describe('the structure of a body', () => {
  const cases: Record<string, readonly [string, number]> = {
    'is none in nothing': ['', 0],
    'is its braces, brackets, colons and commas': ['{"a":[1,{}]}', 8],
    'is counted behind an empty string, which ends where it begins': ['["",[[[["",[[', 9],
    'is counted behind a string that ends with an escaped quote': ['["\\"",[[["x",[[', 8],
    'is counted behind a string that ends with an escaped backslash': ['["\\\\",[[["x",[[', 8],
    'is not counted in a string that never ends': ['["[[[[', 1],
    'is not counted behind a backslash at the very end': ['["[[\\', 1],
  }
  for (const [sentence, [text, expected]] of Object.entries(cases))
    it(sentence, () => expect(structureOf(text)).to.equal(expected))
})

describe('a uid that is read without parsing', () => {
  const head = (uid: string) => `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"${uid}"`

  it('is what a uid can be, and nothing that could end the text which it is put into', () => {
    expect(uidWithoutParsing(Buffer.from(head('705ab4f5-6393_A')))).to.equal('705ab4f5-6393_A')
    for (const uid of ['', 'a b', 'a\\"b', 'a'.repeat(65)])
      expect(uidWithoutParsing(Buffer.from(head(uid)))).to.equal(undefined)
  })

  it('is looked for at the beginning alone', () =>
    expect(uidWithoutParsing(Buffer.from(`${' '.repeat(300)}${head('a')}`))).to.equal(undefined))
})
