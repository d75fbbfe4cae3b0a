import type { Vars } from '../../../common/program/env.ts'
import type { Endpoint } from './connector.ts'

/** The API server, by the address that this program uses, and by the one that Kubernetes gives to each pod. */
export function apiServers(vars: Vars, used: URL): readonly Endpoint[] {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = vars
  const own = { host: used.hostname.replace(/^\[|\]$/g, ''), port: Number(used.port || '443') }
  return host ? [own, { host, port: Number(port) }] : [own]
}

/** A slice of any Service, as the caches have it. */
interface Slice {
  /** the numbers of its ports; only of the API servers */
  readonly apiPorts?: readonly number[]
  readonly ready: readonly { readonly address: string }[]
}

/** The API servers that the slices of their Service list, at each port of it, whatever its name. */
export const listedApiServers = (slices: readonly Slice[]): readonly Endpoint[] =>
  slices.flatMap(({ apiPorts = [], ready }) =>
    apiPorts.flatMap((port) => ready.map(({ address }) => ({ host: address, port }))),
  )
