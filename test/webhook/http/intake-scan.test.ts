import { expect } from 'chai'
import { isTooStructured, MAX_STRUCTURE, uidWithoutParsing } from '../../../webhook/http/intake.ts'

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

describe('uidWithoutParsing', () => {
  const head = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"705ab4f5-6393","kind":{'
  it('reads the uid where the API server writes it', () => {
    expect(uidWithoutParsing(Buffer.from(head))).to.equal('705ab4f5-6393')
  })
  it('reads no uid at another place', () => {
    expect(uidWithoutParsing(Buffer.from(` ${head}`))).to.equal(undefined)
    expect(uidWithoutParsing(Buffer.from('{"a":"{\\"uid\\":\\"x\\"}"}'))).to.equal(undefined)
  })
})
