import { at, listOr, member, objectOr, parseJson, textOr } from '../json/json.ts'
import { optionalClause, type Part } from '../text/fitted.ts'
import { shortenedList } from '../text/list.ts'
import { type ForkAndSource, sourcePod } from './pod-labels.ts'

/**
 * The annotations by which a network gives the fork's pods the addresses of those of the source. Where the source is
 * not known, all of the fork that name an address. Undefined if there are none.
 */
export function fixedAddresses(pair: ForkAndSource): readonly Part[] | undefined {
  const ofSource = sourcePod(pair)?.annotations
  const all = Object.entries(objectOr(at(pair.fork, 'spec', 'template', 'metadata', 'annotations')))
  const keys = all
    .filter(([key, value]) => namesAddress(key, textOr(value, '')) && (!ofSource || ofSource[key] === value))
    .map(([key]) => key)
  if (keys.length === 0) return undefined
  const remedy = optionalClause(`; override the annotation${keys.length > 1 ? 's' : ''}`)
  return ["takes the address of the source's pods (", shortenedList(keys.sort(), 2), ')', remedy]
}

/** The annotations of Calico whose values are addresses. */
const CALICO: ReadonlySet<string> = new Set(
  ['ipAddrs', 'ipAddrsNoIpam', 'floatingIPs', 'hwAddr'].map((name) => `cni.projectcalico.org/${name}`),
)

/** Of Kube-OVN: `ovn.kubernetes.io/ip_address`, and for a further network `lan.default.kubernetes.io/mac_address`. */
const KUBE_OVN = /\.kubernetes\.io\/(?:ip|mac)_address$/

/** Of Kube-OVN: the addresses of a workload, or the name of a pool. */
const KUBE_OVN_POOL = /\.kubernetes\.io\/ip_pool$/
const STARTS_WITH_ADDRESS = /^(?:[\d.]+|[\da-f]*:[\da-f:.]*)(?:[,;]|$)/i

/** Of Multus: the further networks of a pod, by name or as a JSON list, which may ask for addresses. */
const NETWORKS = 'k8s.v1.cni.cncf.io/networks'

function namesAddress(annotation: string, value: string): boolean {
  if (annotation === NETWORKS) return listOr(parseJson(value)).some(asksForAddress)
  if (KUBE_OVN_POOL.test(annotation)) return STARTS_WITH_ADDRESS.test(value)
  return value !== '' && (CALICO.has(annotation) || KUBE_OVN.test(annotation))
}

const asksForAddress = (network: unknown): boolean =>
  listOr(member(network, 'ips')).length > 0 || textOr(member(network, 'mac'), '') !== ''
