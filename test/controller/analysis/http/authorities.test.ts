import { expect } from 'chai'
import { newAuthority } from '../../../../certs/authority.ts'
import { authoritiesIn } from '../../../../controller/analysis/http/authorities.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('authoritiesIn', () => {
  let pem = ''
  before(async () => {
    pem = (await newAuthority({ clock: () => new Date('2026-11-21T12:00:00Z'), days: 10 })).cert.trim()
  })

  it('trusts the system without a bundle', () =>
    expect(authoritiesIn(undefined)).to.deep.equal({ is: 'authorities', pem: undefined }))

  it('reads several certificates with text between them', () =>
    expect(authoritiesIn(base64(`# one\n${pem}\n# two\n${pem}\n`))).to.deep.equal({
      is: 'authorities',
      pem: `${pem}\n${pem}`,
    }))

  for (const [what, textOf] of Object.entries<() => string>({
    'an empty bundle': () => '',
    'text without a certificate': () => 'certificate',
    'a certificate that ends early': () => `${pem}\n${pem.slice(0, 100)}`,
    'a certificate with other bytes in it': () =>
      `${pem}\n-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----`,
  }))
    it(`refuses ${what}`, () =>
      expect(authoritiesIn(base64(textOf()))).to.deep.equal({
        is: 'failed',
        message: 'the caBundle has no certificates that can be read',
      }))
})
