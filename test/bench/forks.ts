import { boundedOverride } from '../../common/api/decode.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { derive } from '../../common/fork/derive.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aBase, imageOverride } from '../builders.ts'

const SOURCE_DEADLINE_MS = 60_000

/** One way to create changed copies of a source. */
export interface Side {
  readonly name: string
  /** the collection that is written and waited for */
  readonly path: (namespace?: string) => string
  readonly object: (index: number, namespace: string, source: KubeObject) => object
  readonly isReady: (object: KubeObject) => boolean
}

/** The `index`-th experiment on `cart` in `namespace`, as it would be stored. */
export const experiment = (index: number, namespace: string): ExperimentDeployment => ({
  apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
  kind: EXPERIMENT_DEPLOYMENT.kind,
  metadata: { name: `copy-${index}`, namespace, uid: `uid-${index}`, generation: 1 },
  spec: {
    sourceRef: { kind: 'Deployment', name: 'cart' },
    replicas: 1,
    overrideSpec: boundedOverride(imageOverride('cart:rc')),
  },
})

const collection = (resource: Parameters<typeof resourcePath>[0]) => (namespace?: string) =>
  resourcePath(resource, namespace === undefined ? {} : { namespace })

/** With the product. */
export const experiments: Side = {
  name: 'experiments',
  path: collection(EXPERIMENT_DEPLOYMENT),
  object: (index, namespace) => {
    const { metadata, ...rest } = experiment(index, namespace)
    return { ...rest, metadata: { name: metadata.name, namespace } }
  },
  isReady: (object) =>
    listOr(at(object, 'status', 'conditions')).some(
      (condition) => isObject(condition) && condition.type === 'Ready' && condition.status === 'True',
    ),
}

/** The Deployments that the product would derive, without the product. */
export const deployments: Side = {
  name: 'Deployments written directly',
  path: collection(deployment),
  object: (index, namespace, source) => {
    const derived = derive({
      kind: deployment,
      experiment: experiment(index, namespace),
      base: aBase(source),
      schema: undefined,
      replicas: 1,
    })
    if (derived.is !== 'fork') throw new Error('the source of the bench cannot be forked')
    const { ownerReferences: _nobody, ...metadata } = derived.fork.metadata
    return { ...derived.fork, metadata }
  },
  isReady: (object) =>
    at(object, 'status', 'availableReplicas') === at(object, 'spec', 'replicas') &&
    at(object, 'status', 'observedGeneration') === object.metadata.generation,
}

/** A source with three pods behind a Service, in its own namespace. */
export async function prepare({ api }: Pick<ControlPlane, 'api'>, namespace: string): Promise<KubeObject> {
  await api.create('/api/v1/namespaces', { metadata: { name: namespace } })
  const labels = { app: 'cart' }
  await api.create(`/api/v1/namespaces/${namespace}/services`, {
    metadata: { name: 'cart' },
    spec: { selector: labels, ports: [{ port: 80 }] },
  })
  const spec = { containers: [{ name: 'cart', image: 'cart:1' }] }
  await api.create(deployments.path(namespace), {
    metadata: { name: 'cart' },
    spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  })
  return eventually('the source to be available', SOURCE_DEADLINE_MS, async () => {
    const source = await api.get(`${deployments.path(namespace)}/cart`)
    if (!deployments.isReady(source)) throw new Error('not available')
    return source
  })
}
