/** How many pods serve at each moment: counted at every event of a watch, so that no short gap is missed. */
import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { at, listOr } from '../../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../../common/kube/client/resources.ts'
import { kubeClient } from '../../../common/kube/library/client.ts'
import { realTimers } from '../../../common/program/clock.ts'
import type { ControlPlane } from '../../../sandbox/control-plane.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { DEADLINE_MS } from '../product.ts'

const POD = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' }
const WATCHED = { pods: POD, slices: RESOURCES.EndpointSlice }
const WATCH_SECONDS = 7_200

/** By what is counted: `pods`, and the name of each Service. */
export type Counts = Readonly<Record<string, number>>

/** What a watch of all pods and EndpointSlices has seen. */
export interface Serving {
  /** Resolves to the present moment, when the watch has seen what is stored now. */
  readonly now: (namespace: string) => Promise<number>
  /** The fewest available pods, and ready endpoints of each Service, of a namespace from one moment to another. */
  readonly fewest: (namespace: string, from: number, until: number) => Counts
  readonly stop: () => Promise<void>
}

interface WatchEvent {
  readonly type: string
  readonly object: KubeObject
}

/** Counts from now on. */
export async function startServing({ api, kubeconfig }: Pick<ControlPlane, 'api' | 'kubeconfig'>): Promise<Serving> {
  const client = kubeClient({
    kubeconfig,
    userAgent: 'serving',
    timers: realTimers(),
    random: Math.random,
    connections: 4,
  })
  const stopping = new AbortController()
  const stored = { pods: new Map<string, KubeObject>(), slices: new Map<string, KubeObject>() }
  const counted: { readonly namespace: string; readonly what: string; readonly count: number }[] = []
  let broken: Error | undefined

  function count(kind: keyof typeof WATCHED, { metadata: { namespace = '', labels } }: KubeObject): void {
    const own = [...stored[kind].values()].filter(({ metadata }) => metadata.namespace === namespace)
    const service = labels?.[SERVICE] ?? ''
    counted.push(
      kind === 'pods'
        ? { namespace, what: 'pods', count: own.filter(isAvailable).length }
        : { namespace, what: service, count: readyEndpoints(own, service) },
    )
  }

  async function follow(kind: keyof typeof WATCHED): Promise<void> {
    const query = { watch: true, timeoutSeconds: WATCH_SECONDS }
    const lines = await client.stream({ path: resourcePath(WATCHED[kind]), query, signal: stopping.signal })
    const events = async () => {
      for await (const line of lines) {
        const { type, object }: WatchEvent = JSON.parse(line)
        const key = `${object.metadata.namespace}/${object.metadata.name}`
        if (type === 'DELETED') stored[kind].delete(key)
        else stored[kind].set(key, object)
        count(kind, object)
      }
      throw new Error('the watch of the test has ended')
    }
    events().catch((error: Error) => {
      broken = error
    })
  }

  /** @throws Error unless the watch has seen what is stored now */
  async function hasSeen(namespace: string, kind: keyof typeof WATCHED): Promise<void> {
    if (broken) throw broken
    const live = await api.list(resourcePath(WATCHED[kind], { namespace }))
    const own = [...stored[kind].values()].filter(({ metadata }) => metadata.namespace === namespace)
    expect(own.map(versionOf).sort()).to.deep.equal(live.map(versionOf).sort())
  }

  await Promise.all([follow('pods'), follow('slices')])
  return {
    now: (namespace) =>
      eventually(`the watch to have seen ${namespace}`, DEADLINE_MS, async () => {
        await Promise.all([hasSeen(namespace, 'pods'), hasSeen(namespace, 'slices')])
        return counted.length
      }),
    fewest: (namespace, from, until) => {
      if (broken) throw broken
      const own = counted.map((each, index) => ({ ...each, index })).filter((each) => each.namespace === namespace)
      const whats = [...new Set(own.map(({ what }) => what))].toSorted()
      return Object.fromEntries(
        whats.map((what) => {
          const all = own.filter((each) => each.what === what)
          const [before, during] = [all.findLast(({ index }) => index < from), all.filter(isWithin(from, until))]
          return [what, Math.min(...[...(before ? [before] : []), ...during].map(({ count }) => count))]
        }),
      )
    },
    stop: () => {
      stopping.abort()
      return client.close()
    },
  }
}

const SERVICE = 'kubernetes.io/service-name'

const isWithin =
  (from: number, until: number) =>
  ({ index }: { readonly index: number }): boolean =>
    index >= from && index < until

const versionOf = ({ metadata: { name, resourceVersion } }: KubeObject): string => `${name} ${resourceVersion}`

/** A pod that is being deleted does not count, although it may still serve. */
const isAvailable = ({ metadata, status }: KubeObject): boolean =>
  metadata.deletionTimestamp === undefined &&
  listOr(at(status, 'conditions')).some((each) => at(each, 'type') === 'Ready' && at(each, 'status') === 'True')

/** The different pods that the slices of `service` list as ready. */
function readyEndpoints(slices: readonly KubeObject[], service: string): number {
  const pods = slices
    .filter(({ metadata }) => metadata.labels?.[SERVICE] === service)
    .flatMap((slice) => listOr(slice.endpoints))
    .filter((endpoint) => at(endpoint, 'conditions', 'ready') === true)
    .map((endpoint) => at(endpoint, 'targetRef', 'uid'))
  return new Set(pods).size
}
