import type { ExperimentDeployment, ServiceShare } from '../../common/api/types.ts'
import { eventually } from '../eventually.ts'
import { type Addresses, experimentAddresses, sidesOf } from '../traffic/sides.ts'
import { startTraffic, type Traffic } from '../traffic/traffic.ts'
import { NAMESPACE, type Stage } from './stage.ts'

const REQUESTS = 2_000
const SERVICE = { namespace: NAMESPACE, service: 'frontend' }

/**
 * Sends real requests to the frontend and tells which side got how many, beside what the status says. Where a network
 * namespace cannot be had, it says so and tells what the status is made from instead.
 * @throws Error when a request fails, or the experiment got none
 */
export async function measureShare({ plane, tell }: Stage): Promise<void> {
  const { status } = await plane.api.get<ExperimentDeployment>(
    `/apis/experimentcontroller.example.com/v1alpha1/namespaces/${NAMESPACE}/experimentdeployments/warm-frontend`,
  )
  const told = status?.services?.find(({ name }) => name === SERVICE.service)
  if (!told) throw new Error('the status does not tell of Service frontend')
  const traffic = await startTraffic(plane)
  if ('unavailable' in traffic) {
    tell(`no requests can be sent here: ${traffic.unavailable}`)
    tell(`so this is what the status says, from EndpointSlices: ${endpoints(told)}`)
    return
  }
  try {
    const experiment = await experimentAddresses(plane.api, NAMESPACE, 'tier=frontend')
    await isServed(traffic, told.readyEndpoints)
    await tellRequests({ traffic, experiment, told, tell })
  } finally {
    await traffic.stop()
  }
}

const endpoints = ({ share, experimentEndpoints, readyEndpoints }: ServiceShare): string =>
  `${share} (${experimentEndpoints} of ${readyEndpoints} endpoints)`

/** Waits until kube-proxy knows all pods. */
const isServed = ({ requests }: Traffic, pods: number): Promise<void> =>
  eventually(`${pods} pods to be asked`, 30_000, async () => {
    const { byPod, failures } = await requests(100, SERVICE)
    if (Object.keys(byPod).length !== pods) throw new Error(JSON.stringify({ byPod, failures }))
  })

interface Told {
  readonly traffic: Traffic
  readonly experiment: Addresses
  readonly told: ServiceShare
  readonly tell: Stage['tell']
}

async function tellRequests({ traffic, experiment, told, tell }: Told): Promise<void> {
  const answers = await traffic.requests(REQUESTS, SERVICE)
  const pods = Object.entries(answers.byPod).sort()
  tell(pods.map(([pod, count]) => `${pod}: ${count}${experiment.has(pod) ? ', the experiment' : ''}`).join('\n  '))
  const sides = sidesOf(answers, experiment)
  tell(
    `${REQUESTS} new connections: ${sides.experiment} to the experiment, ${sides.source} to its source, ${sides.failed} failed; ` +
      `measured ${((100 * sides.experiment) / REQUESTS).toFixed(1)}%, status ${endpoints(told)}`,
  )
  if (sides.failed > 0) throw new Error(`requests failed: ${JSON.stringify(answers.failures)}`)
  if (sides.experiment === 0) throw new Error('no request reached the experiment')
}
