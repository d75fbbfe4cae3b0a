/** Metrics of pods that do nothing: a test writes them, and the HPA controller of Kubernetes reads them. */
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import type { Api } from '../../sandbox/api.ts'

/** Serves `metrics.k8s.io` as metrics-server does. The annotation permits a group of Kubernetes in a CRD. */
export const POD_METRICS = JSON.stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'pods.metrics.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
  },
  spec: {
    group: 'metrics.k8s.io',
    scope: 'Namespaced',
    names: { plural: 'pods', singular: 'podmetrics', kind: 'PodMetrics', listKind: 'PodMetricsList' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

/** Where the pods are: a namespace, and their label `app`. */
export interface PodsOf {
  readonly api: Api
  readonly namespace: string
  readonly app: string
}

/** What `spreadLoad` found and wrote. */
interface Spread {
  /** what each ready pod uses */
  readonly perPod: number
  readonly ready: readonly KubeObject[]
  /** how many pods there are, ready or not */
  readonly pods: number
}

const isReady = (pod: KubeObject): boolean =>
  listOr(at(pod, 'status', 'conditions')).some(
    (condition) => isObject(condition) && condition.type === 'Ready' && condition.status === 'True',
  )

/**
 * Spreads a load, in thousandths of a processor and in MiB, evenly over the ready pods. The others use nothing, and
 * have metrics that say so: an HPA treats a pod without metrics differently from one that is not ready.
 */
export async function spreadLoad({ api, namespace, app }: PodsOf, load: number): Promise<Spread> {
  const selected = `?labelSelector=app=${app}`
  const metrics = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`
  const all = await api.list(`/api/v1/namespaces/${namespace}/pods${selected}`)
  const pods = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const ready = pods.filter(isReady)
  const perPod = Math.ceil(load / ready.length)
  const names = new Set(pods.map(({ metadata }) => metadata.name))
  const old = (await api.list(`${metrics}${selected}`)).filter(({ metadata }) => !names.has(metadata.name))
  await Promise.all([
    ...old.map(({ metadata }) => api.delete(`${metrics}/${metadata.name}`)),
    ...pods.map((pod) =>
      api.apply(`${metrics}/${pod.metadata.name}`, {
        apiVersion: 'metrics.k8s.io/v1beta1',
        kind: 'PodMetrics',
        metadata: { name: pod.metadata.name, labels: { app } },
        timestamp: new Date().toISOString(),
        window: '0s',
        containers: [{ name: 'app', usage: ready.includes(pod) ? usage(perPod) : usage(0) }],
      }),
    ),
  ])
  return { perPod, ready, pods: pods.length }
}

const usage = (count: number) => ({ cpu: `${count}m`, memory: `${count}Mi` })
