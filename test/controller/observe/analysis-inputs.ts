/** What an analysis depends on, and its twin. */
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import {
  ANALYSIS_PROVIDER,
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  CLUSTER_ANALYSIS_TEMPLATE,
  EXPERIMENT_ID,
} from '../../../common/api/names.ts'
import type { ObjectMeta, ResourceType } from '../../../common/api/object.ts'
import { RESOURCES, resourcePath } from '../../../common/kube/client/resources.ts'
import { twinName } from '../../../common/workload/identity.ts'
import { aDeployment, anExperiment, FORK } from '../../builders.ts'
import { AVAILABLE, type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'
import { aRun, ERRORS } from '../analysis/a-run.ts'

const RUNS = resourcePath(ANALYSIS_RUN, { namespace: 'shop' })
const FORMER_RUN = `${RUNS}/former`
const TWIN = `${PATHS.deployments}/${twinName(anExperiment())}`
/** After a window of the default length the pods are looked at. */
const WINDOW_MS = 30_000
/** A pod that was ready then has been so for long enough whenever these tests change something. */
const EARLY = '2026-11-21T10:01:00Z'

const asked = (analysis: AnalysisSpec) => ({ [PATHS.experiment]: stored(anExperiment({ analysis })) })
/** All pods of the source have its template. */
const withAnalysis = (analysis: AnalysisSpec) => ({
  ...asked(analysis),
  [PATHS.source]: stored({ ...aDeployment(), status: AVAILABLE }),
})

/** Creates an object as another client does. */
const putting =
  (resource: ResourceType, metadata: ObjectMeta, more: object) =>
  ({ server }: Pick<ControllerWorld, 'server'>): void => {
    const { apiVersion, kind } = resource
    server.put(resourcePath(resource, metadata), { apiVersion, kind, metadata, ...more })
  }

const metrics = { spec: { metrics: [ERRORS] } }
const putProvider = (namespaceSelector: object = {}) =>
  putting(
    ANALYSIS_PROVIDER,
    { name: 'prom' },
    { spec: { type: 'Prometheus', address: 'https://prometheus.example', namespaceSelector } },
  )

/** A pod of `workload` whose containers are ready. */
const putPod = (workload: string, labels: Readonly<Record<string, string>>) =>
  putting(
    RESOURCES.Pod,
    {
      name: `${workload}-1`,
      namespace: 'shop',
      creationTimestamp: EARLY,
      labels,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${workload}-7d9f`, uid: 'set', controller: true },
      ],
    },
    { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: EARLY }] } },
  )

const hasRun = ({ server }: ControllerWorld): boolean => server.all(RUNS).length > 0
const applies = ({ server }: ControllerWorld): number => server.diary.filter((line) => line === `apply ${TWIN}`).length

/** Another client scales the twin. */
const scale = (world: ControllerWorld): void =>
  world.change(TWIN, ({ spec, metadata }) => ({
    metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
    spec: { ...(spec as object), replicas: 4 },
  }))

export const ANALYSIS_INPUTS = {
  'a template': {
    withinMs: 0,
    objects: withAnalysis({ templates: [{ name: 'errors' }] }),
    first: putProvider(),
    change: putting(ANALYSIS_TEMPLATE, { name: 'errors', namespace: 'shop' }, metrics),
    isSeen: hasRun,
  },
  'a template for all namespaces': {
    withinMs: 0,
    objects: withAnalysis({ templates: [{ name: 'errors', scope: 'Cluster' }] }),
    first: putProvider(),
    change: putting(CLUSTER_ANALYSIS_TEMPLATE, { name: 'errors' }, metrics),
    isSeen: hasRun,
  },
  'a provider': {
    withinMs: 0,
    objects: withAnalysis({ metrics: [ERRORS] }),
    change: putProvider(),
    isSeen: hasRun,
  },
  'the labels of the namespace': {
    objects: withAnalysis({ metrics: [ERRORS] }),
    first: putProvider({ matchLabels: { tier: 'gold' } }),
    change: (world: ControllerWorld) =>
      world.change(PATHS.namespace, ({ metadata }) => ({ metadata: { ...metadata, labels: { tier: 'gold' } } })),
    isSeen: hasRun,
  },
  'the rollout of the source': {
    withinMs: 10_000,
    objects: asked({}),
    change: (world: ControllerWorld) => world.change(PATHS.source, () => ({ status: AVAILABLE })),
    isSeen: hasRun,
  },
  'an analysis run about a former fork': {
    withinMs: 0,
    objects: withAnalysis({}),
    change: ({ server }: ControllerWorld) => server.put(FORMER_RUN, { ...ANALYSIS_RUN, ...aRun({ name: 'former' }) }),
    isSeen: ({ server }: ControllerWorld) => server.diary.includes(`patch ${FORMER_RUN}/status`),
  },
  'the pods of both versions': {
    withinMs: WINDOW_MS,
    objects: withAnalysis({}),
    change: (world: ControllerWorld) => {
      putPod('cart', { app: 'cart' })(world)
      putPod(FORK, { [EXPERIMENT_ID]: FORK.slice(-10) })(world)
    },
    isSeen: ({ server }: ControllerWorld) => JSON.stringify(server.all(RUNS)).includes('"startedAt"'),
  },
}

const comparedWithTwin = withAnalysis({ control: 'Twin' })

export const TWIN_INPUTS = {
  'it is deleted': {
    withinMs: 0,
    objects: comparedWithTwin,
    change: ({ server }: ControllerWorld) => server.remove(TWIN),
    isSeen: (world: ControllerWorld) => applies(world) === 2,
  },
  'a second drift in a row': {
    objects: comparedWithTwin,
    change: async (world: ControllerWorld) => {
      scale(world)
      await world.pass(500)
      scale(world)
    },
    isSeen: (world: ControllerWorld) => applies(world) === 3,
  },
}
