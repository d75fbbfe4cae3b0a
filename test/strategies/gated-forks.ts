/** Sources of each kind, and the pods of their gated forks. */

import { EXPERIMENT_ID, GATE, REVISION } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isEqual, isObject, type JsonObject, listOr } from '../../common/json/json.ts'
import { RESOURCES as KUBE, resourcePath } from '../../common/kube/client/resources.ts'
import { type ArgoRollouts, startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, type InstallOptions, install } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { aRollout } from '../integration/argo.ts'
import { DEADLINE_MS, hasEndpoints, type Place, placeAt } from '../integration/product.ts'
import { needs } from '../needs.ts'

export const KINDS = { Deployment: 'deployments', StatefulSet: 'statefulSets', Rollout: 'rollouts' } as const
export type Kind = keyof typeof KINDS
export const ALL_KINDS = Object.keys(KINDS) as readonly Kind[]

/** The waits in it end earlier, with an error that names the reason. */
const START_MS = 300_000

/**
 * In a `describe`: the product and Argo Rollouts run on a control plane of their own. Returns the namespace `shop`.
 * `installed`: the overlay, or how else the product is installed.
 */
export function usesAllKinds(installed: string | InstallOptions, plane = usesOwnControlPlane(crds)): () => Place {
  needs('argoRollouts', 'argoFiles')
  let argo: ArgoRollouts | undefined
  before('Argo Rollouts runs', async function () {
    this.timeout(START_MS)
    argo = await startArgoRollouts(plane())
  })
  const place = usesDeployments(installed, plane)
  after('Argo Rollouts ends', () => argo?.stop())
  return place
}

/** The same without Argo Rollouts. */
export function usesDeployments(installed: string | InstallOptions, plane: () => ControlPlane): () => Place {
  let place: Place | undefined
  before('the product runs', async function () {
    this.timeout(START_MS)
    await install(plane(), {
      ...(typeof installed === 'string' ? { overlay: installed } : installed),
      kindProbeSeconds: 2,
    })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    place = placeAt(plane().api, plane().kubectl, 'shop')
  })
  return () => {
    if (!place) throw new Error('the product is there when tests run')
    return place
  }
}

/** Whether a condition of a pod is true. */
export const isTrue = (pod: KubeObject, type: string): boolean =>
  listOr(at(pod, 'status', 'conditions')).some((each) => isObject(each) && each.type === type && each.status === 'True')

/** Functions for the gated forks in a place. */
export function gatedForksIn(place: () => Place) {
  /** A source with a Service of its name. Without `pods` its template has one container. */
  async function aSource(kind: Kind, name: string, replicas: number, of: JsonObject = {}): Promise<void> {
    const labels = { app: name }
    await aService(name, name)
    if (kind === 'Rollout') await aRollout(place(), name, { replicas, ...of })
    else {
      const containers = [{ name: 'cart', image: 'registry.example/cart:1' }]
      const template = { metadata: { labels }, spec: { containers } }
      const spec = { replicas, selector: { matchLabels: labels }, template, ...of }
      await place().api.create(place().path(KINDS[kind]), {
        metadata: { name },
        spec: kind === 'StatefulSet' ? { ...spec, serviceName: name } : spec,
      })
    }
    await hasEndpoints(place(), name, replicas)
  }

  /** A Service that selects the pods of the source `of`. */
  async function aService(name: string, of: string): Promise<void> {
    const spec = { selector: { app: of }, ports: [{ port: 80 }] }
    await place().api.create(place().path('services'), { metadata: { name }, spec })
  }

  const idOf = async (name: string) =>
    (await place().experimentAt(name)).status?.experimentResourceRef?.name.slice(-10) ?? ''

  /** The pods of the fork of `name`: how many, how many are open, and how many `service` lists as ready. */
  async function seen(name: string, service = name) {
    const { namespace, api, path } = place()
    const pods = await api.list(`${path('pods')}?labelSelector=${EXPERIMENT_ID}=${await idOf(name)}`)
    const live = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const slices = await api.list(
      `${resourcePath(KUBE.EndpointSlice, { namespace })}?labelSelector=kubernetes.io/service-name=${service}`,
    )
    const names = new Set(pods.map(({ metadata }) => metadata.name))
    const ready = slices
      .flatMap((slice) => listOr(slice.endpoints))
      .filter((endpoint) => at(endpoint, 'conditions', 'ready') === true)
    const listed = ready.filter((endpoint) => names.has(String(at(endpoint, 'targetRef', 'name'))))
    const images = live.map((pod) => at(listOr(at(pod, 'spec', 'containers'))[0], 'image'))
    return {
      pods: live.length,
      open: live.filter((pod) => isTrue(pod, GATE)).length,
      listed: listed.length,
      others: ready.length - listed.length,
      revisions: new Set(live.map(({ metadata }) => metadata.annotations?.[REVISION])).size,
      images: [...new Set(images)].join(),
    }
  }

  /** Waits until `seen` has these values. */
  const comesTo = (name: string, wanted: Partial<Awaited<ReturnType<typeof seen>>>, service = name) =>
    eventually(`${name} to come to ${JSON.stringify(wanted)}`, DEADLINE_MS, async () => {
      const found = await seen(name, service)
      const compared = Object.fromEntries(Object.entries(found).filter(([key]) => key in wanted))
      if (!isEqual(compared, wanted)) throw new Error(JSON.stringify(found))
    })

  return { aSource, aService, idOf, seen, comesTo }
}
