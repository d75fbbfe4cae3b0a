import type { KubeObject } from '../../common/api/object.ts'
import { Controller } from '../../controller/controller.ts'
import { aDeployment, anExperiment, installing } from '../builders.ts'
import { diaryLog, turn, VirtualTime } from '../virtual-time.ts'
import { NO_PROVIDERS } from './analysis/no-providers.ts'
import { FakeApiServer } from './fake-api-server.ts'
import { noMetrics } from './no-metrics.ts'

/** The path of our API. */
export const GROUP = '/apis/experimentcontroller.example.com/v1alpha1'
/** The path of the experiment. */
export const EXPERIMENT = `${GROUP}/namespaces/shop/experimentdeployments/faster-cart`
/** The path of the Deployments in `shop`. */
export const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments'
/** How many passes its controllers make at once. */
export const WORKERS = 2
/** `object` with a version, if it has none. */
export const versioned = (object: object): KubeObject => {
  const given = object as KubeObject
  return { ...given, metadata: { resourceVersion: '10', ...given.metadata } }
}

/** A controller in virtual time, and the API server that it uses. */
export function running(objects: Readonly<Record<string, KubeObject>> = {}, installed = installing()) {
  const time = new VirtualTime()
  const log = diaryLog()
  const server = new FakeApiServer({
    [EXPERIMENT]: versioned(anExperiment()),
    [`${DEPLOYMENTS}/cart`]: versioned(aDeployment()),
    ...objects,
  })
  const controller = new Controller({
    client: server,
    workers: WORKERS,
    kindProbeMs: 30_000,
    installed,
    http: NO_PROVIDERS,
    instance: 'pod-1',
    ownNamespace: 'experiment-controller-system',
    clock: () => new Date('2026-11-21T10:00:00Z'),
    timers: time,
    random: () => 0.5,
    metrics: noMetrics(),
    log,
  })
  /** Lets everything run that needs no time to pass. */
  const settle = async () => {
    for (let turns = 0; turns < 30; turns += 1) await turn()
  }
  return { time, log, server, controller, settle }
}
