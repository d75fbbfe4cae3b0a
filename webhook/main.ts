import { readFileSync } from 'node:fs'
import { realTimers } from '../common/clock.ts'
import { healthServer } from '../common/health.ts'
import { kubeClient } from '../common/kube/client.ts'
import { closed, listening } from '../common/listen.ts'
import { jsonLog } from '../common/log.ts'
import { SchemaCatalog } from '../common/schema/catalog.ts'
import { keepFresh } from '../common/schema/refresher.ts'
import { schemaSource } from '../common/schema/source.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { readConfig } from './config.ts'
import { admissionApp } from './server.ts'
import { tlsServer } from './tls.ts'
import { validator } from './validate.ts'

const config = readConfig(process.env)
const log = jsonLog({ destination: process.stdout, level: config.logLevel, facts: { program: 'webhook' } })
const timers = realTimers()
const stopping = new AbortController()

const kube = kubeClient({
  kubeconfig: config.kubeconfig,
  userAgent: 'experiment-webhook/0.1.0',
  timers,
  random: Math.random,
})
const schemas = new SchemaCatalog(schemaSource(kube), Object.values(WORKLOAD_KINDS))
const freshening = keepFresh({
  catalog: schemas,
  timers,
  log,
  signal: stopping.signal,
  absentMs: config.kindProbeMs,
})

const app = admissionApp({ validate: validator({ kube, schemas, timers, clock: () => new Date() }), log })
const tls = { cert: readFileSync(config.certFile, 'utf8'), key: readFileSync(config.keyFile, 'utf8') }
const admission = tlsServer(app, tls)
const health = healthServer({
  unreadyBecause: () =>
    stopping.signal.aborted ? 'stopping' : schemas.hasRead ? undefined : 'waits for the schemas of the cluster',
})

const port = await listening(admission, config.port, config.host)
const healthPort = await listening(health, config.healthPort, config.host)
log.info({ port, healthPort }, 'serving')

const stop = async (): Promise<void> => {
  if (stopping.signal.aborted) return
  stopping.abort()
  log.info({}, 'stopping')
  await Promise.all([closed(admission), closed(health), freshening])
  await kube.close()
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())
