/** Sources that get smaller as their fork grows: their sizes, and the pods that serve at every event of a watch. */
import { expect } from 'chai'
import { EXPERIMENT_ID, SCALE_MANAGER, SCALED } from '../../common/api/names.ts'
import type { CanaryStep } from '../../common/api/strategy.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { replicasOf } from '../../common/workload/status.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { DEADLINE_MS, hasEndpoints, type Place } from '../integration/product.ts'
import { IMAGE } from './blue-greens.ts'

/** How long a pod answers after it is deleted, as a program that ends its requests first. */
const ENDS = { 'sandbox.experiment-controller.example.com/ends': '5s' }

export const OF_PODS = { 20: [1, 4], 40: [2, 3], 60: [3, 2], 80: [4, 1] } as const

interface SourceOf {
  readonly replicas?: number
  readonly annotations?: JsonObject
  readonly spec?: JsonObject
}

/** Functions for the sources in a place. */
export function sizedSourcesIn(place: () => Place) {
  /** A Deployment with a Service of its name. */
  async function aSizedSource(name: string, { replicas = 5, annotations = ENDS, spec = {} }: SourceOf = {}) {
    const labels = { app: name }
    const containers = [{ name: 'cart', image: 'registry.example/cart:1' }]
    const template = { metadata: { labels, annotations }, spec: { containers } }
    await place().api.create(place().path('services'), {
      metadata: { name },
      spec: { selector: labels, ports: [{ port: 80 }] },
    })
    await place().api.create(place().path('deployments'), {
      metadata: { name },
      spec: { replicas, selector: { matchLabels: labels }, template, ...spec },
    })
    await hasEndpoints(place(), name, replicas)
  }

  /** A canary inside the size of the source of its name. */
  const inside = (name: string, steps: readonly CanaryStep[], { canary = {}, ...of }: JsonObject = {}) =>
    place().experiment(name, {
      source: name,
      overrideSpec: imageOverride(IMAGE),
      ...of,
      strategy: { canary: { scaleDownSource: true, scaleDownDelaySeconds: 0, steps, ...(canary as object) } },
    })

  /** The sizes of both, and what is left of us on the source. */
  async function sizesOf(name: string) {
    const { api, path, experimentAt, namespace } = place()
    const source = await api.get(path('deployments', name))
    const found = await api.list(`${path('deployments')}?labelSelector=${EXPERIMENT_ID}`)
    const experiment = await experimentAt(name).catch(() => undefined)
    const left = experiment?.status?.experimentResourceRef?.name
    const fork = found.find(({ metadata }) => metadata.name === left)
    const { managedFields = [], labels = {} } = source.metadata
    return {
      namespace,
      source: replicasOf(source),
      fork: fork ? replicasOf(fork) : 0,
      label: labels[SCALED]?.replace(/^[^.]*/, 'uid'),
      isOwned: managedFields.some(({ manager, operation }) => manager === SCALE_MANAGER && operation === 'Update'),
      available: Number(at(source, 'status', 'availableReplicas') ?? 0),
    }
  }

  /** Waits until both have these sizes. */
  const comeToSizes = (name: string, [fork, source]: readonly [number, number]) =>
    eventually(`${name} to have ${source} pods, and its fork ${fork}`, DEADLINE_MS, async () => {
      const { fork: ofFork, source: ofSource } = await sizesOf(name)
      expect({ fork: ofFork, source: ofSource }).to.deep.equal({ fork, source })
    })

  /** Waits until the source has its own size, and nothing of us is left on it. */
  const isItselfAgain = (name: string, replicas = 5) =>
    eventually(`${name} to have its ${replicas} pods and nothing of us`, DEADLINE_MS, async () => {
      const { source, available, label, isOwned } = await sizesOf(name)
      const wanted = { source: replicas, available: replicas, label: undefined, isOwned: false }
      expect({ source, available, label, isOwned }).to.deep.equal(wanted)
    })

  return { aSizedSource, inside, sizesOf, comeToSizes, isItselfAgain }
}
