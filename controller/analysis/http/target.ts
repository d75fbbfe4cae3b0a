import { addressOf } from '../../../common/analysis/kinds/address.ts'
import type { CompleteProvider } from '../../../common/analysis/kinds/provider.ts'
import { escapesPath } from '../../../common/analysis/query/path-escapes.ts'
import type { Failed, ProviderRequest } from '../../../common/analysis/query/window-query.ts'

/** Where the requests to a provider go. */
export interface ProviderTarget {
  readonly is: 'target'
  /** `https://prometheus.monitoring.svc:9090` */
  readonly origin: string
  /** a name, or an IP address without brackets */
  readonly host: string
  readonly port: number
  /** the path of the address, without a slash at its end */
  readonly prefix: string
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** A name of the cluster's DNS, whose answers do not leave the cluster: `prometheus.monitoring.svc`. */
const OF_SERVICE = /^([a-z0-9_-]+\.){2,}svc(\.cluster\.local)?\.?$/

/** Where the requests to `provider` go, or why they must not be sent. Does not look at IP addresses. */
export function providerTarget(
  provider: Pick<CompleteProvider, 'type' | 'address' | 'newRelic' | 'credential'>,
): ProviderTarget | Failed {
  const { credential } = provider
  const address = addressOf(provider)
  if (address === '') return failed('the provider has no address')
  const url = URL.parse(address)
  const defaultPort = DEFAULT_PORTS[url?.protocol ?? '']
  if (!url || defaultPort === undefined) return failed('the address is no http or https URL')
  const { protocol, origin, hostname, pathname } = url
  if (url.username !== '' || url.password !== '') return failed('the address must not have a user')
  if (url.search !== '' || url.hash !== '') return failed('the address must not have a query')
  if (credential !== undefined && protocol === 'http:' && !OF_SERVICE.test(hostname))
    return failed('a credential is sent by https only, or to a .svc name')
  const port = url.port === '' ? defaultPort : Number(url.port)
  return { is: 'target', origin, host: hostname.replace(/^\[|\]$/g, ''), port, prefix: pathname.replace(/\/+$/, '') }
}

/**
 * The path and the query to send for `request`. Undefined if a server that decodes its path could read one outside of
 * the prefix.
 */
export function pathFor({ origin, prefix }: ProviderTarget, { path, params }: ProviderRequest): string | undefined {
  // the address alone, as a plugin has it
  const whole = path === '/' && prefix !== '' ? prefix : `${prefix}${path}`
  const url = URL.parse(`${origin}${whole}`)
  const isKept = url?.origin === origin && url.pathname === whole && url.search === '' && url.hash === ''
  if (!isKept || !path.startsWith('/') || path.startsWith('//') || escapesPath(path)) return undefined
  const query = new URLSearchParams(params).toString()
  return query === '' ? url.pathname : `${url.pathname}?${query}`
}

const failed = (message: string): Failed => ({ is: 'failed', message })
