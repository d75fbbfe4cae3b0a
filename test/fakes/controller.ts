import type { KubeObject } from '../../common/api/object.ts'
import type { Condition, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { Controller } from '../../controller/controller.ts'
import { aDeployment, anExperiment, FORK, installing } from '../builders.ts'
import { NO_PROVIDERS } from '../controller/analysis/no-providers.ts'
import { noMetrics } from '../controller/no-metrics.ts'
import { diaryLog, turn, VirtualTime } from '../virtual-time.ts'
import { ObjectStore } from './object-store.ts'

/** The path of our API. */
export const GROUP = '/apis/experimentcontroller.example.com/v1alpha1'
/** The path of the Deployments in `shop`. */
export const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments'

/** The paths of the objects of these tests. */
export const PATHS = {
  experiment: `${GROUP}/namespaces/shop/experimentdeployments/faster-cart`,
  experiments: `${GROUP}/namespaces/shop/experimentdeployments`,
  policies: `${GROUP}/experimentpolicies`,
  deployments: DEPLOYMENTS,
  rollouts: '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts',
  source: `${DEPLOYMENTS}/cart`,
  fork: `${DEPLOYMENTS}/${FORK}`,
  namespace: '/api/v1/namespaces/shop',
} as const

/** When virtual time begins. */
export const START = new Date('2026-11-21T10:00:00Z')
/** How many passes its controllers make at once. */
export const WORKERS = 2

/** `object` with a version, if it has none. */
export const versioned = (object: object): KubeObject => {
  const given = object as KubeObject
  return { ...given, metadata: { resourceVersion: '10', ...given.metadata } }
}

/** `object` as the API server stores it. */
export const stored = (object: object): KubeObject => {
  const { metadata, ...rest } = versioned(object)
  return { ...rest, metadata: { creationTimestamp: START.toISOString(), ...metadata } } as KubeObject
}

type Options = ConstructorParameters<typeof Controller>[0]

/** A controller in virtual time, whose wall clock stands still unless `more` says otherwise. */
export const controllerOf = (client: Options['client'], timers: VirtualTime, more: Partial<Options> = {}): Controller =>
  new Controller({
    client,
    workers: WORKERS,
    kindProbeMs: 30_000,
    installed: installing(),
    http: NO_PROVIDERS,
    instance: 'pod-1',
    ownNamespace: 'experiment-controller-system',
    clock: () => START,
    timers,
    random: () => 0.5,
    metrics: noMetrics(),
    log: diaryLog(),
    ...more,
  })

/** Lets everything run that needs no time to pass. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await turn()
}

/** A controller whose wall clock stands still, and the API server that it uses. */
export function running(objects: Readonly<Record<string, KubeObject>> = {}, installed = installing()) {
  const time = new VirtualTime()
  const log = diaryLog()
  const server = new ObjectStore({
    [PATHS.experiment]: versioned(anExperiment()),
    [PATHS.source]: versioned(aDeployment()),
    ...objects,
  })
  return { time, log, server, controller: controllerOf(server, time, { installed, log }), settle }
}

const NAMESPACE = stored({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: {} } })

/** What the Deployment controller would report of one ready pod, whatever the generation. */
export const AVAILABLE = {
  observedGeneration: 99,
  replicas: 1,
  updatedReplicas: 1,
  readyReplicas: 1,
  availableReplicas: 1,
}

/** A controller in virtual time with `faster-cart` on `cart`, beside `objects`. */
export function aController(objects: Readonly<Record<string, KubeObject>> = {}, more: readonly 'promotion'[] = []) {
  const time = new VirtualTime()
  const server = new ObjectStore({
    [PATHS.experiment]: stored(anExperiment()),
    [PATHS.source]: stored(aDeployment()),
    [PATHS.namespace]: NAMESPACE,
    ...objects,
  })
  const state = { aheadMs: 0 }
  const clock = () => new Date(START.getTime() + time.now() + state.aheadMs)
  server.clock = clock
  const counted = { passes: 0 }
  const passed = () => {
    counted.passes += 1
  }
  const controller = controllerOf(server, time, {
    installed: installing('gate', 'cutOver', 'analysis', ...more),
    clock,
    metrics: { ...noMetrics(), passed },
  })
  /** Lets `forMs` pass, and everything run that needs no time to pass. */
  const pass = async (forMs: number) => {
    await time.pass(forMs)
    await settle()
  }
  const at = (path: string): KubeObject => {
    const found = server.at(path)
    if (!found) throw new Error(`there is no ${path}`)
    return found
  }
  const status = (path: string = PATHS.experiment): ExperimentDeploymentStatus => at(path).status ?? {}
  return {
    server,
    controller,
    /** How many passes were made. */
    passes: () => counted.passes,
    pass,
    /** Sets the wall clock forward. */
    setClockForward: (byMs: number) => {
      state.aheadMs += byMs
    },
    at,
    status,
    condition: (type: string): Condition | undefined => status().conditions?.find((each) => each.type === type),
    /** The words of the conditions and warnings, to look for a reason. */
    words: () => JSON.stringify([status().conditions, status().warnings]),
    /** Changes the object at `path` as another client does. */
    change(path: string, by: (before: KubeObject) => object) {
      const before = at(path)
      server.put(path, { ...before, ...by(before) })
    },
  }
}

export type ControllerWorld = ReturnType<typeof aController>

/** How long nothing happens before a test changes something. All short timers have ended then. */
const QUIET_MS = 300_000

/**
 * A controller that has nothing left to do: its experiment has an available fork, and no timer of it is set but those
 * that are set for ever. So only a wake-up, or a bound that always holds, lets it see a change.
 */
export async function aQuietController(
  objects: Readonly<Record<string, KubeObject>> = {},
  before: (world: ControllerWorld) => unknown = () => undefined,
): Promise<ControllerWorld> {
  const world = aController(objects)
  before(world)
  await world.controller.start()
  world.controller.lead()
  await world.pass(1_000)
  if (world.server.at(PATHS.fork)) world.change(PATHS.fork, () => ({ status: AVAILABLE }))
  await world.pass(QUIET_MS)
  return world
}
