import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { Vars } from '../../program/env.ts'

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * The proxy for requests to `url`, as Go's `httpproxy` finds it in `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` or in
 * these in lower case; undefined for none. This machine itself is never reached by a proxy.
 */
export function proxyFor(url: URL, vars: Vars): string | undefined {
  const either = (name: string) => vars[name] || vars[name.toLowerCase()] || ''
  const proxy = either(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  const port = url.port || (DEFAULT_PORTS[url.protocol] ?? '')
  if (proxy === '' || host === 'localhost' || (isIP(host) && contains(LOOPBACK, host))) return undefined
  if (
    either('NO_PROXY')
      .split(',')
      .some((entry) => excludes(entry.trim().toLowerCase(), host, port))
  )
    return undefined
  const address = /^[a-z][a-z\d+.-]*:\/\/[^/]/i.test(proxy) ? proxy : `http://${proxy}`
  return URL.canParse(address) ? address : undefined
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

const contains = (list: BlockList, host: string): boolean => list.check(host, familyOf(host))
const familyOf = (host: string): 'ipv4' | 'ipv6' => (isIP(host) === 6 ? 'ipv6' : 'ipv4')

/** Whether an entry of `NO_PROXY` is about this host and port. */
function excludes(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  const subnet = subnetOf(entry)
  if (subnet) return isIP(host) !== 0 && contains(subnet, host)
  const { name, only: entryPort } = isIP(entry) ? { name: entry, only: '' } : partsOf(entry)
  if (name === '' || (entryPort !== '' && entryPort !== port)) return false
  if (isIP(name)) return isIP(host) !== 0 && contains(alone(name), host)
  return isIP(host) === 0 && isUnder(host, name)
}

/** `a.example:443` or `[fd00::1]:443`, with the port or without. */
function partsOf(entry: string): { readonly name: string; readonly only: string } {
  const [, inBrackets, plain = '', only = ''] = /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/.exec(entry) ?? []
  return { name: inBrackets ?? plain, only }
}

function alone(address: string): BlockList {
  const list = new BlockList()
  list.addAddress(address, familyOf(address))
  return list
}

/** The addresses of `10.0.0.0/8`; undefined for an entry that is none. */
function subnetOf(entry: string): BlockList | undefined {
  const [, address = '', digits = ''] = /^([^/]+)\/(\d+)$/.exec(entry) ?? []
  const bits = { 4: 32, 6: 128 }[isIP(address)]
  if (bits === undefined || Number(digits) > bits) return undefined
  const list = new BlockList()
  list.addSubnet(address, Number(digits), familyOf(address))
  return list
}

/** `a.example` is about itself and the names under it; `.a.example` and `*.a.example` are only about these. */
function isUnder(host: string, entry: string): boolean {
  const isAboutItself = !/^\*?\./.test(entry)
  const name = entry.replace(/^\*?\./, '')
  const ascii = domainToASCII(name) || name
  return (isAboutItself && host === ascii) || host.endsWith(`.${ascii}`)
}
