import { expect } from 'chai'
import { uidWithoutParsing } from '../../../webhook/http/intake.ts'

describe('uidWithoutParsing', () => {
  const head = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"705ab4f5-6393","kind":{'
  it('reads the uid where the API server writes it', () => {
    expect(uidWithoutParsing(Buffer.from(head))).to.equal('705ab4f5-6393')
  })
  it('reads no uid at another place', () => {
    expect(uidWithoutParsing(Buffer.from(` ${head}`))).to.equal(undefined)
    expect(uidWithoutParsing(Buffer.from('{"a":"{\\"uid\\":\\"x\\"}"}'))).to.equal(undefined)
  })

  const headWith = (uid: string) =>
    `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"${uid}"`

  it('returns only the characters of a uid, none that could end a string', () => {
    expect(uidWithoutParsing(Buffer.from(headWith('705ab4f5-6393_A')))).to.equal('705ab4f5-6393_A')
    for (const uid of ['', 'a b', 'a\\"b', 'a'.repeat(65)])
      expect(uidWithoutParsing(Buffer.from(headWith(uid)))).to.equal(undefined)
  })

  it('reads the uid only at the beginning', () =>
    expect(uidWithoutParsing(Buffer.from(`${' '.repeat(300)}${headWith('a')}`))).to.equal(undefined))
})
