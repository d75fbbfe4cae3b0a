import { boundedOverride } from '../../common/api/decode.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { pathOf } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { derive } from '../../common/workload/derive.ts'
import { type ControlPlane, startControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, install } from '../../sandbox/installation.ts'
import { aBase, imageOverride } from '../builders.ts'
import { inParallel } from '../in-parallel.ts'
import { type Bench, ratioFigure } from './figure.ts'

const COUNT = 200
/** concurrent requests of the client, on both sides */
const CONCURRENCY = 32
const DEADLINE_MS = 300_000

/** One way to create `COUNT` changed copies of a source. */
interface Side {
  readonly name: string
  /** the collection that is written and waited for */
  readonly path: (namespace: string) => string
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

/** With the product. */
export const experiments: Side = {
  name: 'experiments',
  path: (namespace) => pathOf(EXPERIMENT_DEPLOYMENT, { namespace }),
  object: (index, namespace) => {
    const { metadata, ...rest } = experiment(index, namespace)
    return { ...rest, metadata: { name: metadata.name, namespace } }
  },
  isReady: (object) =>
    listOr(at(object, 'status', 'conditions')).some(
      (condition) => isObject(condition) && condition.type === 'Ready' && condition.status === 'True',
    ),
}

const deployments: Side = {
  name: 'Deployments written directly',
  path: (namespace) => pathOf(deployment, { namespace }),
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
export async function prepare({ api }: ControlPlane, namespace: string): Promise<KubeObject> {
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
  return eventually('the source to be available', DEADLINE_MS, async () => {
    const source = await api.get(`${deployments.path(namespace)}/cart`)
    if (!deployments.isReady(source)) throw new Error('not available')
    return source
  })
}

/** The seconds from the first request until `COUNT` objects are ready. Deletes everything afterwards. */
async function measure(plane: ControlPlane, side: Side, namespace: string): Promise<number> {
  const { api } = plane
  const source = await prepare(plane, namespace)
  const objects = Array.from({ length: COUNT }, (_, index) => side.object(index, namespace, source))
  const started = performance.now()
  await inParallel(CONCURRENCY, objects, (object) => api.create(side.path(namespace), object))
  await eventually(
    `${COUNT} ${side.name}`,
    DEADLINE_MS,
    async () => {
      const ready = (await api.list(side.path(namespace))).filter((object) => side.isReady(object))
      const wanted = COUNT + (side === deployments ? 1 : 0) // the source is one of them
      if (ready.length < wanted) throw new Error(`${ready.length} ready`)
    },
    { pauseMs: 200 },
  )
  const seconds = (performance.now() - started) / 1000
  await api.delete(`/api/v1/namespaces/${namespace}`)
  await eventually(`namespace ${namespace} to be gone`, DEADLINE_MS, async () => {
    const left = await api.list<KubeObject>('/api/v1/namespaces')
    if (left.some(({ metadata }) => metadata.name === namespace)) throw new Error('still there')
  })
  return seconds
}

/** Compares experiments of one source, until they are Ready, with the same number of plain Deployments. */
export const forks: Bench = {
  name: 'forks',
  measures: `${COUNT} experiments of one source until Ready, beside ${COUNT} Deployments written directly`,
  async run(tell) {
    const plane = await startControlPlane({ say: tell, crds: await crds() })
    try {
      await install(plane)
      const seconds = new Map<Side, number[]>([
        [experiments, []],
        [deployments, []],
      ])
      // each side goes first once, because etcd grows and caches warm up during a run
      for (const [round, side] of [deployments, experiments, experiments, deployments].entries()) {
        const took = await measure(plane, side, `round-${round}`)
        tell(`${COUNT} ${side.name}: ${took.toFixed(1)} s`)
        seconds.get(side)?.push(took)
      }
      const mean = (side: Side) => (seconds.get(side) ?? []).reduce((sum, each) => sum + each / 2, 0)
      return [
        ratioFigure({ name: 'forks', value: mean(experiments), unit: 's', against: mean(deployments), atMost: 2 }),
      ]
    } finally {
      await plane.stop()
    }
  },
}
