import type { KubeObject } from '../../../common/api/object.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import type { Surroundings } from '../../../common/surroundings/traffic-report.ts'
import { aDeployment, anExperiment, aPolicy, aRollout, FORK, imageOverride } from '../../builders.ts'
import { APPS_V1 } from '../../common/schema/openapi.ts'
import { AVAILABLE, type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'
import { ACCEPTED_LATER } from './accepted-later.ts'
import { ANALYSIS_INPUTS, TWIN_INPUTS } from './analysis-inputs.ts'
import { END_OF_PAUSE } from './end-of-pause.ts'
import { LOST_STATUS } from './lost-status.ts'
import { NEIGHBOURS } from './neighbours.ts'
import { PINNED_SERVICE } from './pinned-service.ts'
import { ANSWERED_LATE, PROMOTED_BY_OTHERS } from './promoted-by-others.ts'
import { READY_CONTAINERS } from './ready-containers.ts'
import { REFUSED_PODS } from './refused-pods.ts'
import { SCALED_AGAIN, SCALED_TWICE } from './scaled-forks.ts'
import { SCALED_SOURCE } from './scaled-source.ts'
import { STAYING_PODS } from './staying-pods.ts'
import { UNREADY_POD } from './unready-pod.ts'

/** A change of one input of `observe`, and what shows that a pass has read it. */
export interface Input {
  /** what there is besides `faster-cart` and `cart` */
  readonly objects?: Readonly<Record<string, KubeObject>>
  /** what differs before the controller starts */
  readonly first?: (world: ControllerWorld) => void
  readonly change: (world: ControllerWorld) => unknown
  readonly isSeen: (world: ControllerWorld) => boolean
  /** less than the bound of the input */
  readonly withinMs?: number
}

const namespaced = (name: string) => ({ name, namespace: 'shop' })
const SERVICE = '/api/v1/namespaces/shop/services/cart'
const SLICE = '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/cart'
const ROLLOUT = '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/front'
const PRIMARY = `${PATHS.deployments}/cart-primary`
const theService = stored({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...namespaced('cart'), uid: 'service' },
  spec: { selector: { app: 'cart' } },
})

const aSlice = (pods: readonly string[]) =>
  stored({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...namespaced('cart'), uid: 'slice', labels: { 'kubernetes.io/service-name': 'cart' } },
    endpoints: pods.map((name) => ({ addresses: [name], targetRef: { kind: 'Pod', name, uid: name } })),
  })

/** A Rollout that takes its template from the Deployment `name`. */
function referringTo(name: string): KubeObject {
  const rollout = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } })
  return stored({ ...rollout, metadata: { ...rollout.metadata, name: 'front', uid: 'front' } })
}

const tells = (word: string) => (world: ControllerWorld) => world.words().includes(word)
const generation = (object: KubeObject, next = 2) => ({ metadata: { ...object.metadata, generation: next } })

/** The inputs, each with its changes. A new fact does not compile before it has a row here. */
export const INPUTS = {
  experiment: {
    'its spec': {
      change: (world) =>
        world.change(PATHS.experiment, (before) => ({
          ...generation(before),
          spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: imageOverride('cart:2') },
        })),
      isSeen: (world) => JSON.stringify(world.at(PATHS.fork).spec).includes('cart:2'),
    },
  },
  kind: {
    'it is installed': {
      objects: {
        [PATHS.experiment]: stored(anExperiment({ sourceRef: { kind: 'StatefulSet', name: 'cart' } })),
      },
      first: ({ server }) => server.absent.add('/apis/apps/v1/statefulsets'),
      change: ({ server }) => server.absent.clear(),
      isSeen: (world) => !world.words().includes('KindNotAvailable'),
    },
  },
  schema: {
    'a field is gone': {
      objects: { [PATHS.experiment]: stored(anExperiment({ overrideSpec: { minReadySeconds: 5 } })) },
      change: ({ server }) => {
        const { Spec, ...others } = APPS_V1.components.schemas
        const { minReadySeconds: _gone, ...properties } = Spec.properties as Record<string, unknown>
        server.schemas = {
          hash: 'B',
          document: { components: { schemas: { ...others, Spec: { ...Spec, properties } } } },
        }
      },
      isSeen: tells('InvalidOverride'),
    },
  },
  source: {
    'its template': {
      change: (world) =>
        world.change(PATHS.source, (before) => ({ ...aDeployment({ image: 'cart:2' }), ...generation(before) })),
      isSeen: (world) => JSON.stringify(world.at(PATHS.fork).spec).includes('cart:2'),
    },
    'it is deleted': { change: ({ server }) => server.remove(PATHS.source), isSeen: tells('SourceNotFound') },
  },
  revision: {
    'it is deleted': {
      objects: { [PATHS.experiment]: stored(anExperiment({ onSourceChange: 'Pin' })) },
      change: ({ server }) => server.remove(`/apis/apps/v1/namespaces/shop/controllerrevisions/${FORK}`),
      isSeen: tells('PinnedBaseLost'),
    },
  },
  revisionHolder: {
    'another object takes its name': {
      objects: { [PATHS.experiment]: stored(anExperiment({ onSourceChange: 'Pin' })) },
      change: ({ server }) => {
        const path = `/apis/apps/v1/namespaces/shop/controllerrevisions/${FORK}`
        server.remove(path)
        server.put(path, aDeployment({ name: FORK }))
      },
      isSeen: tells('PinnedBaseLost'),
    },
  },
  fork: {
    'its status': {
      change: (world) => world.change(PATHS.fork, () => ({ status: { ...AVAILABLE, availableReplicas: 0 } })),
      isSeen: tells('PodsNotReady'),
    },
    'it is deleted': {
      change: ({ server }) => server.remove(PATHS.fork),
      isSeen: tells('created again'),
    },
  },
  nameHolder: {
    'it takes the name': {
      change: ({ server }) => {
        server.remove(PATHS.fork)
        server.put(PATHS.fork, aDeployment({ name: FORK, metadata: { uid: 'of-another' } }))
      },
      isSeen: tells('NameConflict'),
    },
  },
  policies: {
    'a policy': {
      withinMs: 0,
      change: ({ server }) => server.put(`${PATHS.policies}/limits`, aPolicy({ maxReplicas: 0 })),
      isSeen: tells('PolicyViolated'),
    },
    'the labels of a namespace': {
      objects: {
        [`${PATHS.policies}/limits`]: stored(
          aPolicy({ maxReplicas: 0, namespaceSelector: { matchLabels: { tier: 'gold' } } }),
        ),
      },
      change: (world) =>
        world.change(PATHS.namespace, ({ metadata }) => ({ metadata: { ...metadata, labels: { tier: 'gold' } } })),
      isSeen: tells('PolicyViolated'),
    },
    'the fork of another experiment': {
      withinMs: 5_000,
      objects: {
        [`${PATHS.policies}/limits`]: stored(aPolicy({ maxShare: '50%', validationActions: ['Warn'] })),
        [SERVICE]: theService,
        [SLICE]: aSlice(['cart-1', 'cart-2', 'cart-3']),
        [`${PATHS.experiments}/other`]: stored(anExperiment({ metadata: { name: 'other', uid: 'other' } })),
      },
      // The new pods do not become ready, so no endpoint changes.
      change: (world) =>
        world.change(`${PATHS.experiments}/other`, (before) => ({
          ...generation(before),
          spec: { ...(before.spec as object), replicas: 9 },
        })),
      isSeen: tells('PolicyViolated'),
    },
  },
  installed: {},
  isExcluded: {},
  'surroundings.traffic': {
    'a Service': {
      withinMs: 0,
      change: ({ server }) => server.put(SERVICE, theService),
      isSeen: (world) => world.status().services?.length === 1,
    },
    'its endpoints': {
      withinMs: 5_000,
      objects: { [SERVICE]: theService },
      change: ({ server }) => server.put(SLICE, aSlice(['cart-1', `${FORK}-1`])),
      isSeen: (world) => world.status().share === '50%',
    },
  },
  'surroundings.neighbours': Object.fromEntries(
    Object.entries(NEIGHBOURS).map(([kind, { path, spec, reason }]): readonly [string, Input] => [
      `a ${kind}`,
      {
        change: ({ server }) => server.put(path, { apiVersion: 'v1', kind, metadata: namespaced('cart'), spec }),
        isSeen: tells(reason),
      },
    ]),
  ),
  'surroundings.primary': {
    'it is created': {
      objects: { [PATHS.source]: stored(aDeployment({ spec: { replicas: 0 } })) },
      change: ({ server }) => server.put(PRIMARY, aDeployment({ name: 'cart-primary' })),
      isSeen: tells('SourceIsManaged'),
    },
    'it is deleted': {
      objects: {
        [PATHS.source]: stored(aDeployment({ spec: { replicas: 0 } })),
        [PRIMARY]: stored(aDeployment({ name: 'cart-primary' })),
      },
      change: ({ server }) => server.remove(PRIMARY),
      isSeen: (world) => !world.words().includes('SourceIsManaged'),
    },
  },
  'surroundings.referrer': {
    'it is created': {
      change: ({ server }) => server.put(ROLLOUT, referringTo('cart')),
      isSeen: tells('SourceIsManaged'),
    },
    'it refers to another': {
      objects: { [ROLLOUT]: referringTo('cart') },
      change: (world) => world.change(ROLLOUT, (before) => ({ ...referringTo('other'), ...generation(before) })),
      isSeen: (world) => !world.words().includes('SourceIsManaged'),
    },
  },
  unreported: { 'a status that is not written': LOST_STATUS },
  refused: { 'the API server accepts the fork': ACCEPTED_LATER },
  podRefusal: { 'an Event': { ...REFUSED_PODS, isSeen: tells('ReplicaFailure') } },
  podTrouble: { 'an Event': { ...UNREADY_POD, isSeen: tells('0/3 nodes are available') } },
  driftBackoffMs: { 'a second drift in a row': SCALED_TWICE },
  leavingMs: { 'a minute in which the pods stay': STAYING_PODS },
  stepElapsedMs: { 'the end of a pause': END_OF_PAUSE },
  promotion: { 'the source at the step that promotes': PROMOTED_BY_OTHERS },
  dryRun: { 'the API server answers again': ANSWERED_LATE },
  gate: { 'the containers of a pod': READY_CONTAINERS },
  scaling: SCALED_SOURCE,
  cutOver: { 'a Service that is limited to the fork': PINNED_SERVICE },
  contestedMs: { 'a fourth drift in a row': { ...SCALED_AGAIN, isSeen: tells('Contested') } },
  now: {
    'the experiment expires': {
      objects: { [PATHS.experiment]: stored(anExperiment({ ttlSeconds: 330 })) },
      change: () => undefined,
      isSeen: tells('Expired'),
    },
    'the wall clock is set forward until the experiment has expired': {
      objects: { [PATHS.experiment]: stored(anExperiment({ ttlSeconds: 7_200 })) },
      change: (world) => world.setClockForward(7_200_000),
      isSeen: tells('Expired'),
    },
  },
  analysis: ANALYSIS_INPUTS,
  twin: TWIN_INPUTS,
} satisfies Readonly<
  Record<Exclude<keyof Facts, 'surroundings'> | `surroundings.${keyof Surroundings}`, Readonly<Record<string, Input>>>
>
