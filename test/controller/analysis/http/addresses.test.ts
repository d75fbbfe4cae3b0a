import '../../../property.ts'
import { expect } from 'chai'
import fc from 'fast-check'
import { isForbidden, isOneOf } from '../../../../controller/analysis/http/addresses.ts'
import { LAW } from '../../../property.ts'

const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  'link-local': ['169.254.169.254', '169.254.170.23', 'fe80::1', 'febf:ffff::1'],
  'site-local': ['fec0::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  'metadata of a cloud': [
    ...['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'FD00:0EC2:0::0254', 'fd00:ec2::23'],
    ...['fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42'],
  ],
  'an IPv4-mapped form': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '::FFFF:100.100.100.200'],
  'an IPv4-compatible form': ['::127.0.0.1', '::7f00:1', '::169.254.169.254', '::168.63.129.16'],
  'an IPv4-translated form': ['::ffff:0:127.0.0.1', '::ffff:0:a9fe:a9fe'],
  'a NAT64 form': ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::100.100.100.200', '64:ff9b:1::a9fe:a9fe'],
  'a 6to4 form': ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:a83f:8110:1:2:3:4:5'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:5601:5601'],
  'with a zone': ['fe80::1%eth0', '2600::1%eth0'],
  'no IP address': ['', 'localhost', '0x7f.1', '2130706433', '[::1]', '127.1'],
}

const ALLOWED = [
  ...['10.0.0.1', '192.168.1.1', '172.16.0.1', '100.64.0.1', '100.100.100.201', '168.63.129.17', '8.8.8.8', '1.0.0.0'],
  ...['128.0.0.1', '126.255.255.255', '169.253.255.255', '169.255.0.0', '223.255.255.255', '255.255.255.254'],
  ...[
    'fd00:ec2::253',
    'fd00::1',
    '2600:1f18::1',
    '2001:db8::1',
    '::ffff:10.0.0.1',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ],
]

/** Whether an IPv4 address is forbidden, by its bytes alone. */
const isForbiddenIpv4 = ([a, b, c, d]: readonly number[]): boolean =>
  a === 0 ||
  a === 127 ||
  (a === 169 && b === 254) ||
  (a !== undefined && a >= 224 && a < 240) ||
  ['255.255.255.255', '100.100.100.200', '168.63.129.16', '192.0.0.192'].includes([a, b, c, d].join('.'))

const hex = (bytes: readonly number[]): string =>
  [0, 2].map((at) => ((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)).toString(16)).join(':')

/** Every way to write an IPv4 address as one. */
const FORMS: Readonly<Record<string, (bytes: readonly number[]) => string>> = {
  plain: (bytes) => bytes.join('.'),
  mapped: (bytes) => `::ffff:${hex(bytes)}`,
  'mapped in full': (bytes) => `0:0:0:0:0:FFFF:${bytes.join('.')}`,
  compatible: (bytes) => `::${bytes.join('.')}`,
  translated: (bytes) => `::ffff:0:${hex(bytes)}`,
  NAT64: (bytes) => `64:ff9b::${hex(bytes)}`,
  'NAT64 in full': (bytes) => `0064:FF9B:0000:0:0:0:${hex(bytes)}`,
  '6to4': (bytes) => `2002:${hex(bytes)}:0:0:0:0:1`,
}

const anyByte = fc.integer({ min: 0, max: 255 })
const anyBytes = fc.tuple(anyByte, anyByte, anyByte, anyByte)
/** Half of them forbidden or next to it. */
const bytes = fc.oneof(
  anyBytes,
  fc
    .tuple(
      fc.constantFrom(
        [127, 0, 0, 1],
        [169, 254, 169, 254],
        [224, 0, 0, 1],
        [255, 255, 255, 255],
        [100, 100, 100, 200],
        [168, 63, 129, 16],
        [192, 0, 0, 192],
        [0, 0, 0, 0],
      ),
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: -1, max: 1 }),
    )
    .map(([near, at, by]) => near.map((byte, index) => (index === at ? (byte + by + 256) % 256 : byte))),
)

describe('isForbidden', () => {
  for (const [what, addresses] of Object.entries(FORBIDDEN))
    for (const address of addresses)
      it(`forbids ${what}: ${address || 'an empty text'}`, () => expect(isForbidden(address, 'refuse')).to.equal(true))

  for (const address of ALLOWED) it(`allows ${address}`, () => expect(isForbidden(address, 'refuse')).to.equal(false))

  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    it(`allows ${address} on a laptop`, () => expect(isForbidden(address, 'allow')).to.equal(false))

  it('forbids on a laptop all that is not loopback', () => {
    const isLoopback = (address: string) =>
      ['127.', '::1', '0:0', '::ffff:7f00', '::ffff:127'].some((start) => address.startsWith(start))
    const others = Object.values(FORBIDDEN)
      .flat()
      .filter((address) => !isLoopback(address) || address === '127.1')
    expect(others.filter((address) => !isForbidden(address, 'allow'))).to.deep.equal([])
  })

  for (const [form, write] of Object.entries(FORMS))
    it(`judges an IPv4 address in the form "${form}" by its bytes`, () => {
      fc.assert(
        fc.property(bytes, (bytes) => {
          expect(isForbidden(write(bytes), 'refuse')).to.equal(isForbiddenIpv4(bytes))
        }),
        LAW,
      )
    })

  it('forbids what a URL makes of any spelling of a forbidden address', () => {
    const part = fc.constantFrom<(value: number) => string>(
      String,
      (value) => `0x${value.toString(16)}`,
      (value) => `0${value.toString(8)}`,
    )
    fc.assert(
      fc.property(
        bytes,
        fc.array(part, { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('', '.'),
        (bytes, parts, count, dot) => {
          const last = bytes.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0)
          const numbers = [...bytes.slice(0, count - 1), last]
          const host = numbers.map((value, at) => parts[at]?.(value) ?? '').join('.')
          expect(isForbidden(new URL(`http://${host}${dot}/`).hostname, 'refuse')).to.equal(isForbiddenIpv4(bytes))
        },
      ),
      LAW,
    )
  })

  it('never throws, and forbids what is no IP address', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(isForbidden(`${text}g`, 'allow')).to.equal(true)
      }),
    )
  })
})

describe('isOneOf', () => {
  const SERVERS = ['10.96.0.1', 'fd00:10:96::1']

  for (const address of [
    '10.96.0.1',
    '::ffff:10.96.0.1',
    '64:ff9b::a60:1',
    '2002:a60:1::',
    '::10.96.0.1',
    'FD00:10:96:0::1',
  ])
    it(`finds ${address}`, () => expect(isOneOf(address, SERVERS)).to.equal(true))

  for (const address of ['10.96.0.2', 'fd00:10:96::2', '64:ff9b::a60:2', 'localhost', ''])
    it(`does not find ${address || 'an empty text'}`, () => expect(isOneOf(address, SERVERS)).to.equal(false))

  it('finds nothing among names', () => expect(isOneOf('10.96.0.1', ['kubernetes.default.svc'])).to.equal(false))
})
