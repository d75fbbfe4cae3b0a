import { factsOf } from '../common/kube/client/errors.ts'
import { kubeClient } from '../common/kube/library/client.ts'
import { apiServerOf } from '../common/kube/library/credentials.ts'
import { realTimers } from '../common/program/clock.ts'
import { healthServer } from '../common/program/health.ts'
import { Heartbeat } from '../common/program/heartbeat.ts'
import { close, listen } from '../common/program/listen.ts'
import { jsonLog } from '../common/program/log.ts'
import { Metrics } from '../common/program/metrics.ts'
import { VERSION } from '../common/program/version.ts'
import { credentialsIn } from './analysis/credentials.ts'
import { apiServers } from './analysis/http/api-servers.ts'
import { readConfig } from './config.ts'
import { Controller } from './controller.ts'
import { livenessChecks } from './liveness.ts'
import { controllerMetrics, METRIC_PREFIX } from './metrics.ts'
import { Leader } from './runtime/leader.ts'

const config = readConfig(process.env)
const log = jsonLog({ destination: process.stdout, level: config.logLevel, facts: { program: 'controller' } })
for (const trouble of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(trouble, (error) => {
    log.error(factsOf(error), trouble)
    process.exit(1)
  })

const timers = realTimers()
const random = Math.random
const clock = () => new Date()
const { kubeconfig } = config
const connecting = { kubeconfig, userAgent: `experiment-controller/${VERSION}`, timers, random }

const metrics = new Metrics()
metrics.addNode(METRIC_PREFIX)
const counted = controllerMetrics(metrics)

// The election has its own connections: requests that wait for one must not delay a renewal. Its answers say nothing to
// the breaker, which pauses and resumes passes.
const leaseClient = kubeClient({ ...connecting, onSent: counted.sent, connections: 2, maxTries: 1 })
const leader = new Leader({
  client: leaseClient,
  namespace: config.ownNamespace,
  name: 'experiment-controller',
  identity: `${config.instance}_${crypto.randomUUID()}`,
  onWon: () => controller.lead(),
  onLost: () => process.exit(1), // another process may lead now; a restart is the one way to stop everything at once
  ...{ timers, clock, random, log },
})

const client = kubeClient({
  ...connecting,
  onSent: (sent) => {
    counted.sent(sent)
    controller.sent(sent)
  },
  connections: () => controller.connections,
  fence: leader,
})
const known = apiServers(process.env, apiServerOf(kubeconfig))
const http = {
  apiServers: () => known,
  loopback: config.loopback,
  credential: credentialsIn(config.credentials),
  userAgent: connecting.userAgent,
}
if (config.loopback === 'allow') log.warn({}, 'ANALYSIS_LOOPBACK is set: providers of analyses may be on this machine')
const controller = new Controller({ ...config, client, clock, timers, random, log, metrics: counted, http })
counted.measure({ ...controller.measured, leader })

const heartbeat = new Heartbeat(timers)
const probes = healthServer({
  metrics,
  checks: { caches: () => controller.notReadyBecause, running: () => (isStopping ? 'stopping' : undefined) },
  live: livenessChecks({ heartbeat, controller, leader }),
})

let isStopping = false
const stop = async (): Promise<void> => {
  if (isStopping) process.exit(1) // a second signal ends the process at once
  isStopping = true
  log.info({}, 'stopping')
  await controller.stopLeading()
  await leader.release() // after the last write, so that the next leader can start at once
  await controller.stop()
  heartbeat.stop()
  await Promise.all([client.close(), leaseClient.close(), close(probes)])
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())

log.info({ probePort: await listen(probes, config.probePort, config.host) }, 'starting')
if (await controller.start()) leader.start()
