import { expect } from 'chai'
import { newAuthority, newLeaf, type Pair } from '../../certs/authority.ts'
import { bundleOf, certificatesOf, isAuthority, isOld } from '../../certs/trust.ts'
import { anotherAuthority, OTHERS } from './others.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const HOUR_MS = 3_600_000
const at = (hours: number) => () => new Date(NOW.getTime() + hours * HOUR_MS)
const authority = (hours = 0, days = 3_650) => newAuthority({ clock: at(hours), days })
const leafOf = async (of: Pair, hours: number) => (await newLeaf(of, { names: ['a'], clock: at(hours), days: 90 })).cert

describe('the bundle', () => {
  let [former, present, over]: readonly (Pair | undefined)[] = []
  const the = (pair: Pair | undefined): Pair => {
    if (!pair) throw new Error('made before the tests')
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

  it('is the root alone at first', async () => {
    expect(await rootsOf({ trusted: [] })).to.deep.equal(['present'])
    expect(await rootsOf({ trusted: [the(present).cert] })).to.deep.equal(['present'])
  })

  it('keeps a former root while its leaf may still be served', async () => {
    const trusted = [the(former).cert]
    expect(await rootsOf({ trusted })).to.deep.equal(['present', 'former'])
    expect(await rootsOf({ trusted, leaf: await leafOf(the(former), -9) })).to.deep.equal(['present', 'former'])
  })

  it('keeps it an hour longer: not every pod has the new leaf at once', async () => {
    const trusted = [the(present).cert, the(former).cert]
    const leaf = await leafOf(the(present), 0)
    expect(await rootsOf({ trusted, leaf, hours: 0.9 })).to.deep.equal(['present', 'former'])
    expect(await rootsOf({ trusted, leaf, hours: 1.1 })).to.deep.equal(['present'])
  })

  it('drops what is over, and what is no certificate', async () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
    expect(await rootsOf({ trusted: ['nonsense', the(over).cert, broken] })).to.deep.equal(['present'])
  })
})

describe('an authority in a Secret', () => {
  it('is old when a third of its life is left', async () => {
    const { cert } = await authority(0, 3)
    expect(isOld(cert, at(40)())).to.equal(false)
    expect(isOld(cert, at(50)())).to.equal(true)
    expect(isOld('', NOW)).to.equal(false)
  })

  it('is one with its own key', async () => {
    const [one, other] = [await authority(), await authority()]
    const leaf = await newLeaf(one, { names: ['a'], clock: at(0), days: 1 })
    expect(isAuthority(one)).to.equal(true)
    expect(isAuthority({ ...one, key: other.key })).to.equal(false)
    expect(isAuthority(leaf)).to.equal(false)
    expect(isAuthority({ cert: one.cert, key: '' })).to.equal(false)
    expect(isAuthority({ cert: '', key: one.key })).to.equal(false)
  })
  for (const name of OTHERS)
    it(`is none whose key is ${name}: nothing here signs with that`, async () =>
      expect(isAuthority(await anotherAuthority(name, NOW))).to.equal(false))
})
