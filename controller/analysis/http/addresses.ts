import { BlockList, isIP } from 'node:net'

/** Whether providers may be reached on the machine itself. `allow` is for laptops. */
export type Loopback = 'refuse' | 'allow'

type Subnet = readonly [network: string, prefix: number]

const LOOPBACK: readonly Subnet[] = [['127.0.0.0', 8]]

/** IPv4 networks that no provider may be in. Source: IANA's registry of special-purpose addresses, or as said. */
const IPV4: readonly Subnet[] = [
  ...LOOPBACK,
  ['0.0.0.0', 8], // unspecified: Linux connects 0.0.0.0 to itself
  ['169.254.0.0', 16], // link-local, with the metadata and the credentials of most clouds
  ['224.0.0.0', 4], // multicast
  ['255.255.255.255', 32], // broadcast
  ['100.100.100.200', 32], // metadata of Alibaba Cloud
  ['168.63.129.16', 32], // Azure's host of virtual machines
  ['192.0.0.192', 32], // metadata of Oracle Cloud Classic
]

const IPV6: readonly Subnet[] = [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local, deprecated
  ['ff00::', 8], // multicast
  ['fd00:ec2::254', 128], // metadata of AWS
  ['fd00:ec2::23', 128], // credentials of pods in EKS
  ['fd20:ce::254', 128], // metadata of Google Cloud
  ['fd00:c1::a9fe:a9fe', 128], // metadata of Oracle Cloud
  ['fd00:42::42', 128], // metadata of Scaleway
  ['2001::', 32], // Teredo: leads to an IPv4 address through a server that it names; no such servers are left
  ['64:ff9b:1::', 48], // NAT64 of one network: which of its bits are the IPv4 address is not known (RFC 8215)
]

/** Prefixes of 96 bits before an IPv4 address. `BlockList` checks the mapped form (`::ffff:`) automatically. */
const BEFORE_IPV4 = [
  '::', // IPv4-compatible, RFC 4291
  '::ffff:0:', // IPv4-translated, RFC 2765
  '64:ff9b::', // NAT64, RFC 6052
]

/** The IPv6 subnets that stand for an IPv4 subnet. */
const formsOf = ([network, prefix]: Subnet): readonly Subnet[] => [
  ...BEFORE_IPV4.map((before): Subnet => [`${before}${network}`, 96 + prefix]),
  [sixToFour(network), 16 + prefix],
]

/** `127.0.0.1` → `2002:7f00:1::` (RFC 3056) */
function sixToFour(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::`
}

function blockList(ipv4: readonly Subnet[], ipv6: readonly Subnet[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, 'ipv4')
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, 'ipv6')
  return list
}

const contains = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

const FORBIDDEN = blockList(IPV4, [...IPV6, ...IPV4.flatMap(formsOf)])
const ITSELF = blockList(LOOPBACK, [['::1', 128]])

/**
 * Whether no provider may be reached at `address`, an IP address as `URL` or a resolver writes it. True also for what
 * is no such address, such as one with a zone. A NAT64 prefix that a network took from its own addresses is not known
 * here.
 */
export function isForbidden(address: string, loopback: Loopback): boolean {
  if (isIP(address) === 0 || address.includes('%')) return true
  return contains(FORBIDDEN, address) && !(loopback === 'allow' && contains(ITSELF, address))
}

/** Whether `address` leads to one of the IP addresses `others`, also in a form that only stands for it. */
export function isOneOf(address: string, others: readonly string[]): boolean {
  const ipv4 = others.filter((other) => isIP(other) === 4).map((other): Subnet => [other, 32])
  const ipv6 = others.filter((other) => isIP(other) === 6).map((other): Subnet => [other, 128])
  return isIP(address) !== 0 && contains(blockList(ipv4, [...ipv6, ...ipv4.flatMap(formsOf)]), address)
}
