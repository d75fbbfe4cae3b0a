/** Pods as a quota counts them, at every event of a watch, so that no short peak is missed. */
import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { kubeClient } from '../../common/kube/library/client.ts'
import { realTimers } from '../../common/program/clock.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS, type Place } from '../integration/product.ts'
import { isTrue } from './gated-forks.ts'

const POD = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' }
const WATCH_SECONDS = 7_200

const BEHAVIOR = 'sandbox.experiment-controller.example.com/behavior'
/** The annotation of pods that never become ready. */
export const STUCK = { [BEHAVIOR]: 'never-ready' }

/** What a watch of all pods has seen. */
interface CountedPods {
  /** The most pods that a namespace has had at one moment until now. @throws Error if the watch broke */
  readonly most: (namespace: string) => Promise<number>
  /**
   * From now on counts the pods of an app that serve. Returns what returns the least that served at one moment, and the
   * most that were there and not ending.
   */
  readonly serving: (namespace: string, app: string) => () => { readonly least: number; readonly most: number }
  readonly stop: () => Promise<void>
}

interface WatchEvent {
  readonly type: string
  readonly object: KubeObject
}

/** Counts from now on. */
async function startCounting({ api, kubeconfig }: Pick<ControlPlane, 'api' | 'kubeconfig'>): Promise<CountedPods> {
  const timers = realTimers()
  const client = kubeClient({ kubeconfig, userAgent: 'counted-pods', timers, random: Math.random, connections: 2 })
  const stopping = new AbortController()
  const query = { watch: true, timeoutSeconds: WATCH_SECONDS }
  const lines = await client.stream({ path: resourcePath(POD), query, signal: stopping.signal })
  const stored = new Map<string, KubeObject>()
  const most = new Map<string, number>()
  const watchers: (() => void)[] = []
  let broken: Error | undefined
  const storedIn = (namespace: string) =>
    [...stored.values()].filter(({ metadata }) => metadata.namespace === namespace)

  async function follow(): Promise<void> {
    for await (const line of lines) {
      const { type, object }: WatchEvent = JSON.parse(line)
      const { uid = '', namespace = '' } = object.metadata
      if (type === 'DELETED') stored.delete(uid)
      else stored.set(uid, object)
      for (const watcher of watchers) watcher()
      most.set(namespace, Math.max(most.get(namespace) ?? 0, storedIn(namespace).filter(isCounted).length))
    }
    throw new Error('the watch of the test has ended')
  }
  follow().catch((error: Error) => {
    broken = error
  })
  return {
    most: (namespace) =>
      eventually(`the watch to have seen ${namespace}`, DEADLINE_MS, async () => {
        if (broken) throw broken
        const live = await api.list(resourcePath(POD, { namespace }))
        expect(storedIn(namespace).map(versionOf).sort()).to.deep.equal(live.map(versionOf).sort())
        return most.get(namespace) ?? 0
      }),
    serving: (namespace, app) => {
      const seen = { least: Number.POSITIVE_INFINITY, most: 0 }
      const look = () => {
        const present = storedIn(namespace).filter(
          ({ metadata: { labels, deletionTimestamp } }) => labels?.app === app && deletionTimestamp === undefined,
        )
        seen.least = Math.min(seen.least, present.filter((pod) => isTrue(pod, 'Ready')).length)
        seen.most = Math.max(seen.most, present.length)
      }
      look()
      watchers.push(look)
      return () => {
        watchers.splice(watchers.indexOf(look), 1)
        return seen
      }
    },
    stop: () => {
      stopping.abort()
      return client.close()
    },
  }
}

/** In a `describe`: counts all pods from its start on. Returns a function that returns the counts. */
export function usesCountedPods(plane: () => ControlPlane): () => CountedPods {
  let counted: CountedPods | undefined
  before('pods are counted', async () => {
    counted = await startCounting(plane())
  })
  after('the counting ends', () => counted?.stop())
  return () => {
    if (!counted) throw new Error('pods are counted while tests run')
    return counted
  }
}

/** The pods of a place, and what its quota `told` counts. */
export function podsIn({ api, namespace, path }: Place) {
  const list = () => api.list<KubeObject>(path('pods'))
  const endingOf = (pods: readonly KubeObject[]) =>
    pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)

  /** Waits until there are so many: not ending, ready and `STUCK` ones of these, and all that a quota counts. */
  const comeTo = (what: string, wanted: Partial<Record<'present' | 'ready' | 'stuck' | 'counted', number>>) =>
    eventually(`${what} in ${namespace}`, DEADLINE_MS, async () => {
      const pods = await list()
      const ending = endingOf(pods)
      const present = pods.filter((pod) => !ending.includes(pod))
      const ready = present.filter((pod) => isTrue(pod, 'ContainersReady')).length
      const stuck = present.filter(({ metadata }) => metadata.annotations?.[BEHAVIOR] === STUCK[BEHAVIOR])
      const counted = pods.filter(isCounted).length
      expect({ present: present.length, ready, stuck: stuck.length, counted }).to.include(wanted)
    })

  /** Waits until the quota counts so many. */
  const used = (count: number) =>
    eventually(`the quota of ${namespace} to count ${count}`, DEADLINE_MS, async () => {
      const quota = await api.get(path('quotas', 'told'))
      expect(at(quota.status, 'used', 'pods')).to.equal(`${count}`)
    })

  /** The pods that the quota has refused. */
  async function refused(): Promise<readonly unknown[]> {
    const events = await api.list<KubeObject>(resourcePath(RESOURCES.Event, { namespace }))
    return events.map(({ note }) => note).filter((note) => String(note).includes('exceeded quota'))
  }

  /** Ends the pods that are ending. */
  async function end(): Promise<void> {
    for (const { metadata } of endingOf(await list()))
      await api.delete(path('pods', metadata.name), { gracePeriodSeconds: 0 })
  }

  return { list, comeTo, used, refused, end }
}

const versionOf = ({ metadata: { name, resourceVersion } }: KubeObject): string => `${name} ${resourceVersion}`

/** Whether a quota counts a pod: until it has ended, also while it is ending. */
const isCounted = (pod: KubeObject): boolean => !['Succeeded', 'Failed'].includes(String(at(pod, 'status', 'phase')))
