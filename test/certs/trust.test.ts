import { expect } from 'chai'
import { type CertificatePair, newAuthority, newLeaf } from '../../certs/authority.ts'
import { bundleOf, certificatesOf, isAuthority, isOld } from '../../certs/trust.ts'
import { anotherAuthority, OTHERS } from './others.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const HOUR_MS = 3_600_000
const at = (hours: number) => () => new Date(NOW.getTime() + hours * HOUR_MS)
const authority = (hours = 0, days = 3_650) => newAuthority({ clock: at(hours), days })
const leafOf = async (of: CertificatePair, hours: number) =>
  (await newLeaf(of, { names: ['a'], clock: at(hours), days: 90 })).cert

describe('the bundle', () => {
  let [former, present, over]: readonly (CertificatePair | undefined)[] = []
  const the = (pair: CertificatePair | undefined): CertificatePair => {
    if (!pair) throw new Error('not created before the tests')
    return pair
  }
  before(async () => {
    former = await authority()
    present = await authority()
    over = await authority(-48, 1)
  })

  const rootsOf = async (of: {
    readonly trusted: readonly string[]
    readonly leaf?: string
    readonly hours?: number
  }) => {
    const bundle = bundleOf({
      root: the(present).cert,
      present: of.trusted.join('\n'),
      leaf: of.leaf,
      now: at(of.hours ?? 0)(),
    })
    const names = new Map(
      [former, present, over].map((pair, index) => [the(pair).cert.trim(), ['former', 'present', 'over'][index]]),
    )
    return certificatesOf(bundle).map((found) => names.get(found.toString().trim()))
  }

  it('is only the root at first', async () => {
    expect(await rootsOf({ trusted: [] })).to.deep.equal(['present'])
    expect(await rootsOf({ trusted: [the(present).cert] })).to.deep.equal(['present'])
  })

  it('keeps a former root while its leaf may still be served', async () => {
    const trusted = [the(former).cert]
    expect(await rootsOf({ trusted })).to.deep.equal(['present', 'former'])
    expect(await rootsOf({ trusted, leaf: await leafOf(the(former), -9) })).to.deep.equal(['present', 'former'])
  })

  it('has a former root once, although several webhooks have it', async () => {
    const [{ cert: root }, { cert: old }] = [the(present), the(former)]
    const bundle = bundleOf({ root, present: [old, root, old].join('\n'), leaf: undefined, now: NOW })
    expect(bundle.match(/BEGIN CERTIFICATE/g)).to.have.lengthOf(2)
  })

  it('keeps it an hour longer, because pods do not load the new leaf at the same time', async () => {
    const trusted = [the(present).cert, the(former).cert]
    const leaf = await leafOf(the(present), 0)
    expect(await rootsOf({ trusted, leaf, hours: 0.9 })).to.deep.equal(['present', 'former'])
    expect(await rootsOf({ trusted, leaf, hours: 1.1 })).to.deep.equal(['present'])
  })

  it('drops expired certificates, and blocks that are not certificates', async () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
    expect(await rootsOf({ trusted: ['nonsense', the(over).cert, broken] })).to.deep.equal(['present'])
  })
})

describe('an authority in a Secret', () => {
  it('is old when less than a third of its lifetime is left', async () => {
    const { cert } = await authority(0, 3)
    expect(isOld(cert, at(40)())).to.equal(false)
    expect(isOld(cert, at(50)())).to.equal(true)
    expect(isOld('', NOW)).to.equal(false)
  })

  it('is valid only with its own key', async () => {
    const [one, other] = [await authority(), await authority()]
    const leaf = await newLeaf(one, { names: ['a'], clock: at(0), days: 1 })
    expect(isAuthority(one)).to.equal(true)
    expect(isAuthority({ ...one, key: other.key })).to.equal(false)
    expect(isAuthority(leaf)).to.equal(false)
    expect(isAuthority({ cert: one.cert, key: '' })).to.equal(false)
    expect(isAuthority({ cert: '', key: one.key })).to.equal(false)
  })
  for (const name of OTHERS)
    it(`is not valid with a ${name} key, because the script cannot sign with it`, async () =>
      expect(isAuthority(await anotherAuthority(name, NOW))).to.equal(false))
})
