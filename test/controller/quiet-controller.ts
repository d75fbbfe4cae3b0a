import type { KubeObject } from '../../common/api/object.ts'
import type { Condition, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { Controller } from '../../controller/controller.ts'
import { aDeployment, anExperiment, FORK, installing } from '../builders.ts'
import { diaryLog, turn, VirtualTime } from '../virtual-time.ts'
import { NO_PROVIDERS } from './analysis/no-providers.ts'
import { FakeApiServer } from './fake-api-server.ts'
import { noMetrics } from './no-metrics.ts'
import { WORKERS } from './running.ts'

const GROUP = '/apis/experimentcontroller.example.com/v1alpha1'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments'

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

const START = new Date('2026-11-21T10:00:00Z')

/** `object` as the API server stores it. */
export const stored = (object: object): KubeObject => {
  const given = object as KubeObject
  return { ...given, metadata: { resourceVersion: '10', creationTimestamp: START.toISOString(), ...given.metadata } }
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
  const server = new FakeApiServer({
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
  const controller = new Controller({
    client: server,
    workers: WORKERS,
    kindProbeMs: 30_000,
    installed: installing('gate', 'cutOver', 'analysis', ...more),
    http: NO_PROVIDERS,
    instance: 'pod-1',
    ownNamespace: 'experiment-controller-system',
    clock,
    timers: time,
    random: () => 0.5,
    metrics: { ...noMetrics(), passed },
    log: diaryLog(),
  })
  /** Lets `forMs` pass, and everything run that needs no time to pass. */
  const pass = async (forMs: number) => {
    await time.pass(forMs)
    for (let turns = 0; turns < 30; turns += 1) await turn()
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
