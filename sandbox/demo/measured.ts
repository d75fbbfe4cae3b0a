import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment, ServiceShare } from '../../common/api/types.ts'
import { eventually } from '../eventually.ts'
import { type Addresses, experimentAddresses, sidesOf } from '../traffic/sides.ts'
import { startTraffic, type Traffic } from '../traffic/traffic.ts'
import { NAMESPACE, type Stage } from './stage.ts'

const REQUESTS = 2_000
const SERVICE = { namespace: NAMESPACE, service: 'frontend' }

/**
 * Sends real requests to the frontend, and prints how many the source and the experiment `name` got, beside the share
 * in the status. If no network namespace is possible here, it says so and prints the counts of endpoints instead.
 * @throws Error if a request fails, or if the experiment got none
 */
export async function measureShare({ plane, explain }: Stage, name: string): Promise<void> {
  const { status } = await plane.api.get<ExperimentDeployment>(
    `/apis/experimentcontroller.example.com/v1alpha1/namespaces/${NAMESPACE}/experimentdeployments/${name}`,
  )
  const reported = status?.services?.find(({ name }) => name === SERVICE.service)
  if (!reported) throw new Error('the status does not contain the Service frontend')
  const traffic = await startTraffic(plane)
  if ('unavailable' in traffic) {
    explain(`no requests can be sent here: ${traffic.unavailable}`)
    explain(`the status says, from the EndpointSlices: ${endpoints(reported)}`)
    return
  }
  try {
    const experiment = await experimentAddresses(plane.api, NAMESPACE, 'tier=frontend')
    await areAvailable(plane.api)
    await isServed(traffic, reported.readyEndpoints)
    await traffic.synced()
    await printRequests({ traffic, experiment, reported, explain })
  } finally {
    await traffic.stop()
  }
}

/**
 * Sends real requests to the frontend until `change` is done, and prints how many failed. While kube-proxy changes its
 * rules, a few new connections in 100,000 may be lost. If no network namespace is possible here, it sends none.
 * @throws Error if more than one request in 100 fails
 */
export async function requestsDuring({ plane, explain }: Stage, change: () => Promise<void>): Promise<void> {
  const traffic = await startTraffic(plane)
  if ('unavailable' in traffic) return change()
  try {
    // kube-proxy is ready before its first rules are there
    await eventually('requests to be answered', 30_000, async () => {
      const { failures } = await traffic.requests(BURST, SERVICE)
      if (Object.keys(failures).length > 0) throw new Error(JSON.stringify(failures))
    })
    await traffic.synced()
    const { all, failed } = await sentDuring(traffic, change())
    explain(`${all} new connections meanwhile, ${failed} failed`)
    if (failed > all / 100) throw new Error(`${failed} of ${all} requests failed`)
  } finally {
    await traffic.stop()
  }
}

async function sentDuring(traffic: Traffic, change: Promise<void>) {
  let [all, failed, isDone] = [0, 0, false]
  const done = change.finally(() => {
    isDone = true
  })
  do {
    const answers = await traffic.requests(BURST, SERVICE)
    failed += sidesOf(answers, new Set()).failed
    all += BURST
  } while (!isDone)
  await done
  return { all, failed }
}

const BURST = 100

const endpoints = ({ share, experimentEndpoints, readyEndpoints }: ServiceShare): string =>
  `${share} (${experimentEndpoints} of ${readyEndpoints} endpoints)`

/** Waits until no more pods start in the namespace, so that kube-proxy has nothing to change while it is measured. */
const areAvailable = (api: Stage['plane']['api']): Promise<void> =>
  eventually('all Deployments to be available', 30_000, async () => {
    const found = await api.list<Deployment>(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`)
    const starting = found.filter(({ spec, status }) => status?.availableReplicas !== spec.replicas)
    if (starting.length > 0) throw new Error(starting.map(({ metadata }) => metadata.name).join(', '))
  })

interface Deployment extends KubeObject {
  readonly spec: { readonly replicas: number }
  readonly status?: { readonly availableReplicas?: number }
}

/** Waits until kube-proxy sends requests to all pods. */
const isServed = ({ requests }: Traffic, pods: number): Promise<void> =>
  eventually(`${pods} pods to get requests`, 30_000, async () => {
    const { byPod, failures } = await requests(100, SERVICE)
    if (Object.keys(byPod).length !== pods) throw new Error(JSON.stringify({ byPod, failures }))
  })

interface Measurement {
  readonly traffic: Traffic
  readonly experiment: Addresses
  readonly reported: ServiceShare
  readonly explain: Stage['explain']
}

async function printRequests({ traffic, experiment, reported, explain }: Measurement): Promise<void> {
  const answers = await traffic.requests(REQUESTS, SERVICE)
  const pods = Object.entries(answers.byPod).sort()
  explain(pods.map(([pod, count]) => `${pod}: ${count}${experiment.has(pod) ? ', the experiment' : ''}`).join('\n  '))
  const sides = sidesOf(answers, experiment)
  explain(
    `${REQUESTS} new connections: ${sides.experiment} to the experiment, ${sides.source} to its source, ${sides.failed} failed; ` +
      `measured ${((100 * sides.experiment) / REQUESTS).toFixed(1)}%, status ${endpoints(reported)}`,
  )
  if (sides.failed > 0) throw new Error(`requests failed: ${JSON.stringify(answers.failures)}`)
  if (sides.experiment === 0) throw new Error('no request reached the experiment')
}
