import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { rollout } from '../../common/workload/rollout.ts'
import { startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import { imageOverride } from '../builders.ts'
import { inParallel } from '../in-parallel.ts'
import { watchCrowd } from './crowd-watch.ts'
import { type Bench, ratioFigure } from './figure.ts'
import { deployments } from './forks.ts'
import { type Stand, withProduct } from './stand.ts'

/** On a machine that is shared, fewer show whether anything waits. */
const COUNT = Number(process.env.BENCH_CANARIES ?? 100)
const REPLICAS = 10
/** Both have another number of pods at each: ours 1, 3, 4, 7 and 10 beside 10, Argo's 1 to 5 of 10. */
const STEPS = [10, 20, 30, 40, 50].map((setWeight) => ({ setWeight }))
const LANES = 32
const DEADLINE_MS = 600_000
const NAMESPACE = 'canaries'
const ROLLOUTS = 'rollouts'

const nameOf = (index: number): string => `cart-${index}`
const all = Array.from({ length: COUNT }, (_, index) => nameOf(index))

/** Ten pods behind a Service: the same for a Deployment and for a Rollout. */
function workload(name: string): object {
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'cart', image: 'cart:1' }] } }
  return { replicas: REPLICAS, selector: { matchLabels: labels }, template }
}

const pathIn = (resource: Parameters<typeof resourcePath>[0], namespace: string, name?: string): string =>
  resourcePath(resource, name === undefined ? { namespace } : { namespace, name })

async function withServices({ plane: { api } }: Stand, namespace: string): Promise<void> {
  await api.create('/api/v1/namespaces', { metadata: { name: namespace } })
  await inParallel(LANES, all, (name) =>
    api.create(`/api/v1/namespaces/${namespace}/services`, {
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ port: 80 }] },
    }),
  )
}

interface Timed {
  readonly path: string
  readonly isThere: (object: KubeObject) => boolean
  /** makes one request for each name */
  readonly apply: (name: string) => Promise<unknown>
}

/** The seconds from the first request until all objects are where they shall be. */
async function secondsOf({ client }: Stand, { path, isThere, apply }: Timed): Promise<number> {
  const watch = await watchCrowd({ client, path, isReady: isThere })
  const startedMs = performance.now()
  await inParallel(LANES, all, apply)
  await watch.ready(COUNT, DEADLINE_MS)
  const seconds = (performance.now() - startedMs) / 1_000
  watch.stop()
  return seconds
}

const isObserved = (object: KubeObject): boolean =>
  `${at(object, 'status', 'observedGeneration')}` === `${object.metadata.generation}`

/** The Rollouts, all pods of which have the first image. */
async function createRollouts(stand: Stand): Promise<void> {
  await withServices(stand, ROLLOUTS)
  const path = pathIn(rollout, ROLLOUTS)
  await secondsOf(stand, {
    path,
    isThere: (object) => isObserved(object) && at(object, 'status', 'phase') === 'Healthy',
    apply: (name) =>
      stand.plane.api.create(path, {
        apiVersion: rollout.apiVersion,
        kind: rollout.kind,
        metadata: { name },
        spec: { ...workload(name), strategy: { canary: { steps: STEPS, maxSurge: '25%', maxUnavailable: 0 } } },
      }),
  })
}

async function createSources(stand: Stand): Promise<void> {
  await withServices(stand, NAMESPACE)
  const path = pathIn(deployment, NAMESPACE)
  await secondsOf(stand, {
    path,
    isThere: deployments.isReady,
    apply: (name) => stand.plane.api.create(path, { metadata: { name }, spec: workload(name) }),
  })
}

/** Gives all Rollouts another image, until all are behind their last weight. Then they get all their pods. */
async function rolledOut(stand: Stand, round: number): Promise<number> {
  const { api } = stand.plane
  const path = pathIn(rollout, ROLLOUTS)
  const image = `cart:rollout-${round}`
  const template = { spec: { containers: [{ name: 'cart', image }] } }
  const seconds = await secondsOf(stand, {
    path,
    isThere: (object) =>
      JSON.stringify(object.spec).includes(image) &&
      isObserved(object) &&
      at(object, 'status', 'currentStepIndex') === STEPS.length,
    apply: (name) => api.patch(pathIn(rollout, ROLLOUTS, name), { spec: { template } }),
  })
  await secondsOf(stand, {
    path,
    isThere: (object) => isObserved(object) && at(object, 'status', 'phase') === 'Healthy',
    apply: async () => undefined,
  })
  return seconds
}

/** Creates all experiments, until all are behind their last weight, and deletes them with their forks. */
async function stepped(stand: Stand): Promise<number> {
  const { api } = stand.plane
  const path = pathIn(EXPERIMENT_DEPLOYMENT, NAMESPACE)
  const seconds = await secondsOf(stand, {
    path,
    isThere: (object) => Number(at(object, 'status', 'strategy', 'stepIndex')) >= STEPS.length,
    apply: (name) =>
      api.create(path, {
        apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
        kind: EXPERIMENT_DEPLOYMENT.kind,
        metadata: { name },
        spec: {
          sourceRef: { kind: 'Deployment', name },
          overrideSpec: imageOverride('cart:canary'),
          strategy: { canary: { steps: STEPS } },
        },
      }),
  })
  await inParallel(LANES, all, (name) => api.delete(pathIn(EXPERIMENT_DEPLOYMENT, NAMESPACE, name)))
  const watch = await watchCrowd({
    client: stand.client,
    path: `/api/v1/namespaces/${NAMESPACE}/pods`,
    isReady: () => true,
  })
  await watch.quiet(5_000, DEADLINE_MS)
  watch.stop()
  return seconds
}

/** Compares canaries with those of the nearest peer. Each side goes first once. */
export const steps: Bench = {
  name: 'steps',
  measures: `${COUNT} canaries of ${STEPS.length} weights, beside ${COUNT} Rollouts with the same steps`,
  run: (tell) =>
    withProduct(tell, async (stand) => {
      await startArgoRollouts(stand.plane)
      await createRollouts(stand)
      await createSources(stand)
      const seconds: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] }
      for (const [round, side] of (['theirs', 'ours', 'ours', 'theirs'] as const).entries()) {
        const found = side === 'ours' ? await stepped(stand) : await rolledOut(stand, round)
        tell(`${side}: ${COUNT} through ${STEPS.length} weights in ${found.toFixed(1)} s`)
        seconds[side].push(found)
      }
      const [value = 0, against = 0] = [seconds.ours, seconds.theirs].map((each) => each.reduce((a, b) => a + b, 0) / 2)
      return [ratioFigure({ name: `${COUNT} canaries beside Argo`, value, unit: 's', against, atMost: 1.5 })]
    }),
}
