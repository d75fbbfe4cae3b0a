import { lookup as dnsLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { Timers } from '../../../common/program/clock.ts'
import { isForbidden, isOneOf, type Loopback } from './addresses.ts'
import { RequestRefused } from './failures.ts'

/** The IP addresses of a name, at least one. @throws an error with a code of Node's DNS */
export type Resolve = (name: string) => Promise<readonly string[]>

/** As all programs of this machine resolve names: with its hosts file and the search domains of the cluster. */
export const resolveBySystem: Resolve = async (name) =>
  (await dnsLookup(name, { all: true })).map(({ address }) => address)

/** Where a server listens: a name or an IP address without brackets, and a port. */
export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** The addresses at which providers must not be reached. */
export interface Guard {
  /** the API servers, by all names and addresses by which they are known now */
  readonly apiServers: () => readonly Endpoint[]
  readonly loopback: Loopback
  readonly resolve: Resolve
}

interface Connecting {
  /** PEM of the authorities to trust; default: those of the system */
  readonly ca?: string | undefined
  /** for name resolution, TCP and TLS together */
  readonly timeoutMs: number
  readonly timers: Timers
}

/** The IP addresses of `target`. @throws RequestRefused if one of them is forbidden; what resolving throws */
async function checkedAddresses(
  { host, port }: Endpoint,
  { apiServers, loopback, resolve }: Guard,
): Promise<readonly string[]> {
  const resolved = (name: string) => (isIP(name) === 0 ? resolve(name) : [name])
  const servers = apiServers()
    .filter((server) => server.port === port)
    .map((server) => server.host)
  const isNamed = servers.some((server) => plainName(server) === plainName(host))
  const refused = isNamed ? [] : (await Promise.all(servers.map(resolved))).flat()
  const addresses = isNamed ? [] : await resolved(host)
  // if one address is forbidden, none is used: the answer for this name cannot be trusted
  if (isNamed || addresses.some((address) => isForbidden(address, loopback) || isOneOf(address, refused)))
    throw new RequestRefused('address not allowed')
  if (addresses.length === 0) throw new RequestRefused('name not found')
  return addresses
}

/**
 * Connects to `target` alone, and only to addresses that `guard` allows. Addresses are checked for each connection, and
 * those that were checked are the ones that are dialled. TLS is always verified, whatever the environment says.
 */
export function guardedConnector(target: Endpoint, guard: Guard, connecting: Connecting): buildConnector.connector {
  const { ca, timeoutMs, timers } = connecting
  const lookup: LookupFunction = (_host, { all }, callback) => {
    checkedAddresses(target, guard).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        if (all) callback(null, found)
        else callback(null, found[0]?.address ?? '', found[0]?.family)
      },
      (error) => callback(error, ''),
    )
  }
  // undici's time limit is coarse: it only closes connections that `within` has given up
  const connect = buildConnector({
    ...{ lookup, allowH2: false, rejectUnauthorized: true, timeout: 2 * timeoutMs },
    ...(ca === undefined ? {} : { ca }),
  })
  return within(timeoutMs, timers, (options, callback) => {
    if (isIP(target.host) === 0) return connect(options, callback)
    // Node does not look up a literal IP address
    checkedAddresses(target, guard).then(
      () => connect(options, callback),
      (error) => callback(error, null),
    )
  })
}

/** `connect` with a time limit. A connection that comes later is closed. */
const within =
  (timeoutMs: number, timers: Timers, connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) => {
    let isOver = false
    const cancel = timers.after(timeoutMs, () => {
      isOver = true
      callback(new RequestRefused(`no connection within ${timeoutMs / 1_000} s`), null)
    })
    connect(options, (error, socket) => {
      cancel()
      if (isOver) socket?.destroy()
      else if (error) callback(error, null)
      else callback(null, socket)
    })
  }

/** A name for comparing: in lower case, without the dot of the root. */
const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '')
