import { factsOf } from '../common/kube/client/errors.ts'
import { kubeClient } from '../common/kube/library/client.ts'
import { realTimers } from '../common/program/clock.ts'
import { limitConnections } from '../common/program/connections.ts'
import { healthServer } from '../common/program/health.ts'
import { listen } from '../common/program/listen.ts'
import { jsonLog } from '../common/program/log.ts'
import { Metrics } from '../common/program/metrics.ts'
import { VERSION } from '../common/program/version.ts'
import { SchemaCatalog, schemaSource } from '../common/schema/catalog.ts'
import { keepFresh, refreshOnMiss } from '../common/schema/refresher.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { readConfig } from './config.ts'
import { requireClientName } from './http/client-certificate.ts'
import { drainer } from './http/drain.ts'
import { inFlight } from './http/in-flight.ts'
import { callerMetrics, certificateMetrics, connectionMetrics, METRIC_PREFIX, reviewMetrics } from './http/metrics.ts'
import { requirePathSecret } from './http/path-secret.ts'
import { PathSecrets } from './http/path-secrets.ts'
import { admissionApp } from './http/server.ts'
import { mutator } from './mutate.ts'
import { policyReflector, policySource } from './reads/policies.ts'
import { CertificateFiles } from './tls/certificate-files.ts'
import { secureContext, tlsServer } from './tls/server.ts'
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
metrics.addNode(METRIC_PREFIX)

const certificate = new CertificateFiles({
  ...config,
  clientCaFile: config.callers?.caFile,
  clock: () => new Date(),
  timers,
  log,
  onUnusable: () => countUnusable({}),
})
const countUnusable = certificateMetrics(metrics, certificate)

const pathSecrets = new PathSecrets({ directory: config.pathSecretsDirectory, timers, log })
pathSecrets.watch()
callerMetrics(metrics, pathSecrets)

const kube = kubeClient({
  kubeconfig: config.kubeconfig,
  userAgent: `experiment-webhook/${VERSION}`,
  timers,
  random: Math.random,
  connections: 128, // a review sends about six requests at once, and 256 reviews may be in flight
})
const schemas = new SchemaCatalog(schemaSource(kube), Object.values(WORKLOAD_KINDS))
const { signal } = stopping
const refresher = keepFresh({ catalog: schemas, timers, log, signal, absentMs: config.kindProbeMs })

const policies = policyReflector({ client: kube, timers, random: Math.random, log, probeAbsentMs: config.kindProbeMs })
policies.start()

const flight = inFlight({ timers, onUnread: () => countClosed('unread') })
const counted = reviewMetrics(metrics, flight)
const deps = {
  kube,
  schemas: refreshOnMiss(schemas, refresher.refreshNow),
  policies: policySource(policies, { ...config, client: kube, timers }),
  timers,
  clock: () => new Date(),
  onFinding: counted.ruled,
  installed: config.installed,
  podRules: config.podRules,
}
const app = admissionApp({
  mutate: mutator(deps),
  validate: validator(deps),
  log,
  flight,
  metrics: counted,
  guards: [requirePathSecret(pathSecrets), ...(config.callers ? [requireClientName(config.callers.names)] : [])],
})
const admission = tlsServer(app, { ...certificate.pair, minVersion: config.minVersion })
certificate.watch((pair) => admission.setSecureContext(secureContext({ ...pair, minVersion: config.minVersion })))
const connections = limitConnections({ server: admission, onClosed: (why) => countClosed(why) })
const countClosed = connectionMetrics(metrics, connections)
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

const port = await listen(admission, config.port, config.host)
const healthPort = await listen(health, config.healthPort, config.host)
log.info({ port, healthPort, notAfter: certificate.notAfter.toISOString() }, 'serving')

const stop = async (): Promise<void> => {
  if (stopping.signal.aborted) process.exit(1) // a second signal means: stop without waiting
  stopping.abort()
  log.info({ serveOnMs: config.drainMs }, 'stopping')
  await drain()
  log.info({}, 'stopped')
  process.exit(0) // all responses have been sent
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())
