import { CR_NAME, IS_EXPERIMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import type { Answers } from './burst.ts'

/** The pods with one image, of one experiment or of none. */
interface Version {
  readonly requests: number
  readonly pods: number
}

/**
 * What became of requests, for people: a line for each version that answered any, the most first, and one for those
 * that failed. `pods` are those that may have answered.
 */
export function toldAnswers({ byPod, failures }: Answers, pods: readonly KubeObject[]): readonly string[] {
  const byAddress = new Map(pods.map((pod) => [at(pod.status, 'podIP'), pod]))
  const versions = new Map<string, Version>()
  for (const [address, count] of Object.entries(byPod)) {
    const version = versionOf(byAddress.get(address))
    const { requests, pods } = versions.get(version) ?? { requests: 0, pods: 0 }
    versions.set(version, { requests: requests + count, pods: pods + 1 })
  }
  const answered = [...versions].sort(([, one], [, other]) => other.requests - one.requests)
  return [
    ...answered.map(([version, { requests, pods }]) =>
      line(requests, `${version}, ${pods} pod${pods === 1 ? '' : 's'}`),
    ),
    ...Object.entries(failures).map(([reason, count]) => line(count, `failed: ${reason}`)),
  ]
}

const line = (count: number, what: string): string => `${`${count}`.padStart(6)}  ${what}`

/** `registry.example/cart:2, of the experiment faster-cart` */
function versionOf(pod: KubeObject | undefined): string {
  if (pod === undefined) return 'pods that are gone'
  const image = String(at(listOr(at(pod.spec, 'containers'))[0], 'image'))
  const { labels } = pod.metadata
  return labels?.[IS_EXPERIMENT] === 'true' ? `${image} of the experiment ${labels[CR_NAME]}` : image
}
