import { kubeClient } from '../common/kube/client/client.ts'
import { factsOf } from '../common/kube/client/errors.ts'
import { realTimers } from '../common/program/clock.ts'
import { healthServer } from '../common/program/health.ts'
import { close, listen } from '../common/program/listen.ts'
import { jsonLog } from '../common/program/log.ts'
import { Metrics } from '../common/program/metrics.ts'
import { readConfig } from './config.ts'
import { Controller } from './controller.ts'
import { MAX_SLOW } from './runtime/worker.ts'

/** The beginning of the names of all metrics. */
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
  // Beside those of the watches, so that a write never waits for a connection.
  connections: config.workers + MAX_SLOW + 16,
})
const controller = new Controller({ ...config, client, clock: () => new Date(), timers, random, log })

const metrics = new Metrics()
metrics.addNode(PREFIX)
metrics.gauge({
  name: `${PREFIX}policy_violations`,
  help: 'Experiments that violate a policy. The policy is newer than the experiment, or only warns.',
  read: () => controller.violating,
})

metrics.gauge({
  name: `${PREFIX}policy_mistakes`,
  help: 'Paths, patterns and labels in ExperimentPolicies that can match nothing. The condition Valid names them.',
  read: () => controller.policyMistakes,
})
metrics.gauge({
  name: `${PREFIX}orphaned_forks`,
  help: 'Forks in other namespaces whose experiment is gone. The controller deletes them.',
  read: () => controller.orphaned,
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
  if (isStopping) process.exit(1) // a second signal ends the process at once
  isStopping = true
  log.info({}, 'stopping')
  await controller.stop()
  await Promise.all([client.close(), close(probes)])
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())

log.info({ probePort: await listen(probes, config.probePort, config.host) }, 'starting')
await controller.start()
