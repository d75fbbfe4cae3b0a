import { GROUP } from '../../common/api/names.ts'
import type { JsonObject, KubeObject } from '../../common/api/object.ts'
import { KubeError } from '../../common/kube/errors.ts'
import type { AdmissionRequest } from '../../webhook/review.ts'
import { anExperiment } from '../builders.ts'

/** A review as the API server sends it: of the creation of `faster-cart`, unless told otherwise. */
export const aReview = (request: object = {}) => ({
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  request: {
    uid: 'uid-of-review',
    resource: { group: GROUP, version: 'v1alpha1', resource: 'experimentdeployments' },
    namespace: 'shop',
    operation: 'CREATE',
    object: anExperiment(),
    oldObject: null,
    dryRun: false,
    ...request,
  },
})

interface RequestOf {
  readonly object?: Readonly<Record<string, unknown>>
  readonly oldObject?: Readonly<Record<string, unknown>>
  readonly dryRun?: boolean
}

/** A create, or an update where there is an old object. */
export function aRequest({ object = anExperiment(), oldObject, dryRun = false }: RequestOf = {}): AdmissionRequest {
  const request = { uid: 'uid-of-review', namespace: 'shop', dryRun, object }
  return oldObject ? { ...request, operation: 'UPDATE', oldObject } : { ...request, operation: 'CREATE' }
}

/** An API server that holds `objects` and answers what a review asks; with a diary of the paths. */
export function aReader(objects: readonly KubeObject[], { isDown = false } = {}) {
  const asked: string[] = []
  const plurals: Readonly<Record<string, string>> = {
    Deployment: 'deployments',
    Rollout: 'rollouts',
    Service: 'services',
    EndpointSlice: 'endpointslices',
    HorizontalPodAutoscaler: 'horizontalpodautoscalers',
    PodDisruptionBudget: 'poddisruptionbudgets',
    NetworkPolicy: 'networkpolicies',
  }
  const request = async ({ path }: { readonly path: string }): Promise<unknown> => {
    asked.push(path)
    if (isDown) throw new KubeError({ kind: 'unreachable', message: 'connection refused' })
    const items = objects.filter(({ kind }) => path.split('/').includes(plurals[kind] ?? kind))
    const [last = ''] = path.split('/').slice(-1)
    if (Object.values(plurals).includes(last)) return { kind: 'List', items }
    const found = items.find(({ metadata }) => metadata.name === last)
    if (!found) throw new KubeError({ kind: 'notFound', message: `${path} not found`, status: 404 })
    return found
  }
  return { kube: { request }, asked }
}

/** A Service that selects the pods of `cart`. */
export const aService = (name = 'cart', selector: Readonly<Record<string, string>> = { app: 'cart' }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { selector },
})

/** The ready pods `pods` behind the Service `service`. */
export const aSlice = (pods: readonly string[], service = 'cart'): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${service}-1`, namespace: 'shop', labels: { 'kubernetes.io/service-name': service } },
  endpoints: pods.map((name) => ({ conditions: { ready: true }, targetRef: { kind: 'Pod', name, uid: name } })),
})

/** An autoscaler of the Deployment `cart`. */
export const anAutoscaler = (spec: JsonObject): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'cart', namespace: 'shop' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' }, ...spec },
})
