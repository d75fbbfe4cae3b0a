import { expect } from 'chai'
import { type Issued, issue } from '../../../certs/issue.ts'
import { checkCertificate } from '../../../webhook/tls/certificate.ts'
import type { CertificatePair } from '../../../webhook/tls/server.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const clock = () => NOW
const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000)

describe('checkCertificate', () => {
  let [one, other]: [Issued, Issued] = [
    { ca: '', cert: '', key: '' },
    { ca: '', cert: '', key: '' },
  ]
  before('two pairs', async () => {
    ;[one, other] = await Promise.all([issue({ names: ['a'], clock }), issue({ names: ['b'], clock })])
  })

  const finding = (pair: CertificatePair, now = NOW) => {
    const found = checkCertificate(pair, now)
    return found.is === 'usable' ? 'usable' : found.finding
  }

  it('accepts a certificate alone or with its issuer', () => {
    expect(finding(one)).to.equal('usable')
    expect(finding({ ...one, cert: one.cert + one.ca })).to.equal('usable')
    expect(finding({ ...one, clientCa: other.ca })).to.equal('usable')
  })

  const cases: Record<string, readonly [given: () => CertificatePair, finding: string | RegExp, now?: Date]> = {
    'a key of another pair': [() => ({ ...one, key: other.key }), 'the key does not belong to the certificate'],
    'an empty certificate': [() => ({ ...one, cert: '' }), 'the file contains no certificate'],
    'an empty key': [() => ({ ...one, key: '' }), /^cannot be read: /],
    'half a certificate': [() => ({ ...one, cert: one.cert.slice(0, 300) }), 'the file contains no certificate'],
    'half a chain': [() => ({ ...one, cert: one.cert + one.ca.slice(0, 300) }), 'the last certificate is incomplete'],
    'half a key': [() => ({ ...one, key: one.key.slice(0, 80) }), /^cannot be read: /],
    'an expired certificate': [() => one, 'expired at 2027-02-19T12:00:00.000Z', inDays(91)],
    'a certificate that is not yet valid': [() => one, 'not valid before 2026-11-21T11:00:00.000Z', inDays(-1)],
    'a chain with a wrong issuer': [
      () => ({ ...one, cert: one.cert + other.ca }),
      'certificate 1 of 2 was not issued by the next one',
    ],
    'a client authority without a certificate': [
      () => ({ ...one, clientCa: 'soon' }),
      'CLIENT_CA contains no certificate',
    ],
  }
  for (const [sentence, [given, expected, now]] of Object.entries(cases))
    it(`rejects ${sentence}`, () => {
      if (typeof expected === 'string') expect(finding(given(), now)).to.equal(expected)
      else expect(finding(given(), now)).to.match(expected)
    })

  it('rejects a certificate without a subject alternative name, the only name that Go uses', async () => {
    expect(finding(await issue({ names: [], clock }))).to.equal('the certificate has no subject alternative name')
  })
})
