import { expect } from 'chai'
import { type Issued, issue } from '../../certs/issue.ts'
import { examine } from '../../webhook/certificate.ts'
import type { Pair } from '../../webhook/tls.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const clock = () => NOW
const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000)

describe('examine', () => {
  let [one, other]: [Issued, Issued] = [
    { ca: '', cert: '', key: '' },
    { ca: '', cert: '', key: '' },
  ]
  before('two pairs', async () => {
    ;[one, other] = await Promise.all([issue({ names: ['a'], clock }), issue({ names: ['b'], clock })])
  })

  const finding = (pair: Pair, now = NOW) => {
    const found = examine(pair, now)
    return found.is === 'usable' ? 'usable' : found.finding
  }

  it('takes a pair, alone or with who signed it', () => {
    expect(finding(one)).to.equal('usable')
    expect(finding({ ...one, cert: one.cert + one.ca })).to.equal('usable')
    expect(finding({ ...one, clientCa: other.ca })).to.equal('usable')
  })

  const cases: Record<string, readonly [given: () => Pair, finding: string | RegExp, now?: Date]> = {
    'a key of another pair': [() => ({ ...one, key: other.key }), 'the key belongs to another certificate'],
    'an empty certificate': [() => ({ ...one, cert: '' }), 'there is no certificate in it'],
    'an empty key': [() => ({ ...one, key: '' }), /^it cannot be read: /],
    'half a certificate': [() => ({ ...one, cert: one.cert.slice(0, 300) }), 'there is no certificate in it'],
    'half a chain': [() => ({ ...one, cert: one.cert + one.ca.slice(0, 300) }), 'its last certificate is cut short'],
    'half a key': [() => ({ ...one, key: one.key.slice(0, 80) }), /^it cannot be read: /],
    'one that is over': [() => one, 'expired at 2027-02-19T12:00:00.000Z', inDays(91)],
    'one that is to come': [() => one, 'not valid before 2026-11-21T11:00:00.000Z', inDays(-1)],
    'a chain that does not hold': [
      () => ({ ...one, cert: one.cert + other.ca }),
      'certificate 1 of 2 was not issued by the next one',
    ],
    'an authority of callers that is none': [() => ({ ...one, clientCa: 'soon' }), 'CLIENT_CA holds no certificate'],
  }
  for (const [sentence, [given, expected, now]] of Object.entries(cases))
    it(`refuses ${sentence}`, () => {
      if (typeof expected === 'string') expect(finding(given(), now)).to.equal(expected)
      else expect(finding(given(), now)).to.match(expected)
    })

  it('refuses one without a subject alternative name, which Go does not look beyond', async () => {
    expect(finding(await issue({ names: [], clock }))).to.equal('it bears no subject alternative name')
  })
})
