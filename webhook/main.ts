import { realTimers } from '../common/clock.ts'
import { healthServer } from '../common/health.ts'
import { kubeClient } from '../common/kube/client.ts'
import { factsOf } from '../common/kube/errors.ts'
import { listening } from '../common/listen.ts'
import { jsonLog } from '../common/log.ts'
import { Metrics } from '../common/metrics.ts'
import { SchemaCatalog } from '../common/schema/catalog.ts'
import { keepFresh } from '../common/schema/refresher.ts'
import { schemaSource } from '../common/schema/source.ts'
import { wanting } from '../common/schema/wanting.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { CertificateFiles } from './certificate-files.ts'
import { onlyNamed } from './client-certificate.ts'
import { readConfig } from './config.ts'
import { drainer } from './drain.ts'
import { inFlight } from './in-flight.ts'
import { certificateMetrics, PREFIX, reviewMetrics } from './metrics.ts'
import { mutator } from './mutate.ts'
import { policyReflector, policySource } from './policy-source.ts'
import { admissionApp } from './server.ts'
import { secureContext, tlsServer } from './tls.ts'
import { validator } from './validate.ts'

const config = readConfig(process.env)
const log = jsonLog({ destination: process.stdout, level: config.logLevel, facts: { program: 'webhook' } })
for (const trouble of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(trouble, (error) => {
    log.error(factsOf(error), trouble)
    process.exit(1)
  })

const timers = realTimers()
const stopping = new AbortController()
const metrics = new Metrics()
metrics.addNode(PREFIX)

const certificate = new CertificateFiles({
  ...config,
  clientCaFile: config.callers?.caFile,
  clock: () => new Date(),
  timers,
  log,
  onUnusable: () => countUnusable({}),
})
const countUnusable = certificateMetrics(metrics, certificate)

const kube = kubeClient({
  kubeconfig: config.kubeconfig,
  userAgent: 'experiment-webhook/0.1.0',
  timers,
  random: Math.random,
  connections: 128, // a review asks some six things at once, and 256 reviews may be in flight
})
const schemas = new SchemaCatalog(schemaSource(kube), Object.values(WORKLOAD_KINDS))
const freshening = keepFresh({
  catalog: schemas,
  timers,
  log,
  signal: stopping.signal,
  absentMs: config.kindProbeMs,
})

const policies = policyReflector({ client: kube, timers, random: Math.random, log, probeAbsentMs: config.kindProbeMs })
policies.start()

const flight = inFlight()
const counted = reviewMetrics(metrics, flight)
const asked = {
  kube,
  schemas: wanting(schemas, freshening.hurry),
  policies: policySource(policies, { client: kube, timers }),
  timers,
  clock: () => new Date(),
  ruled: counted.ruled,
}
const app = admissionApp({
  mutate: mutator(asked),
  validate: validator(asked),
  log,
  flight,
  metrics: counted,
  ...(config.callers && { guard: onlyNamed(config.callers.names) }),
})
const admission = tlsServer(app, { ...certificate.pair, minVersion: config.minVersion })
certificate.follow((pair) => admission.setSecureContext(secureContext({ ...pair, minVersion: config.minVersion })))
const drain = drainer({ server: admission, timers, serveOnMs: config.drainMs })
const health = healthServer({
  checks: {
    schemas: () => (schemas.hasRead ? undefined : 'not read from the cluster yet'),
    policies: () => (policies.hasSynced ? undefined : 'not read from the cluster yet'),
    certificate: () => certificate.finding,
    running: () => (stopping.signal.aborted ? 'stopping' : undefined),
  },
  metrics,
})

const port = await listening(admission, config.port, config.host)
const healthPort = await listening(health, config.healthPort, config.host)
log.info({ port, healthPort, notAfter: certificate.notAfter.toISOString() }, 'serving')

const stop = async (): Promise<void> => {
  if (stopping.signal.aborted) process.exit(1) // a second signal: whoever asks twice does not want to wait
  stopping.abort()
  log.info({ serveOnMs: config.drainMs }, 'stopping')
  await drain()
  log.info({}, 'stopped')
  process.exit(0) // nothing is left that anybody waits for
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())
