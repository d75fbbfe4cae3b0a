import { realTimers } from '../common/clock.ts'
import { healthServer } from '../common/health.ts'
import { kubeClient } from '../common/kube/client.ts'
import { factsOf } from '../common/kube/errors.ts'
import { closed, listening } from '../common/listen.ts'
import { jsonLog } from '../common/log.ts'
import { Metrics } from '../common/metrics.ts'
import { readConfig } from './config.ts'
import { Controller } from './controller.ts'

/** Of all that the controller tells its monitor. */
const PREFIX = 'experiment_controller_'

const config = readConfig(process.env)
const log = jsonLog({ destination: process.stdout, level: config.logLevel, facts: { program: 'controller' } })
for (const trouble of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(trouble, (error) => {
    log.error(factsOf(error), trouble)
    process.exit(1)
  })

const timers = realTimers()
const random = Math.random
const client = kubeClient({
  kubeconfig: config.kubeconfig,
  userAgent: 'experiment-controller/0.1.0',
  timers,
  random,
  connections: config.workers + 16, // a write must never wait for a connection behind the watches
})
const controller = new Controller({ ...config, client, clock: () => new Date(), timers, random, log })

const metrics = new Metrics()
metrics.addNode(PREFIX)
metrics.gauge({
  name: `${PREFIX}policy_violations`,
  help: 'Experiments that break a policy: one that came later, or one that only warns.',
  read: () => controller.violating,
})

const probes = healthServer({
  metrics,
  checks: {
    caches: () => (controller.isReady ? undefined : 'being filled'),
    running: () => (isStopping ? 'stopping' : undefined),
  },
})

let isStopping = false
const stop = async (): Promise<void> => {
  if (isStopping) process.exit(1) // a second signal: whoever asks twice does not want to wait
  isStopping = true
  log.info({}, 'stopping')
  await controller.stop()
  await Promise.all([client.close(), closed(probes)])
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())

log.info({ probePort: await listening(probes, config.probePort, config.host) }, 'starting')
await controller.start()
