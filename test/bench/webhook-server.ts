/** `node webhook-server.ts FOLDER`: the webhook as `webhook/main.ts` puts it together, the API server in process. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import type { ExperimentPolicy } from '../../common/policy/policy.ts'
import { realTimers } from '../../common/program/clock.ts'
import { installedComponents } from '../../common/program/components.ts'
import { listen } from '../../common/program/listen.ts'
import { jsonLog } from '../../common/program/log.ts'
import { admissionApp } from '../../webhook/http/server.ts'
import { mutator } from '../../webhook/mutate.ts'
import { policySource } from '../../webhook/reads/policies.ts'
import { tlsServer } from '../../webhook/tls/server.ts'
import { validator } from '../../webhook/validate.ts'
import { BODIES } from './webhook-bodies.ts'
import { keptCatalog } from './webhook-documents.ts'
import { readerOf } from './webhook-reader.ts'
import { SOURCE } from './webhook-review.ts'

const [folder = ''] = process.argv.slice(2)
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const log = jsonLog({ destination: process.stdout, facts: { program: 'webhook' } })
const schemas = await keptCatalog(folder)
const timers = realTimers()
const kube = readerOf(SOURCE)
const policies = policySource(
  { hasSynced: true, list: () => POLICIES },
  { client: kube, timers, ownNamespace: 'experiment-controller-system' },
)
const surroundings = { kube, schemas, policies, timers, clock: () => new Date(), installed: installedComponents({}) }
const app = admissionApp({ mutate: mutator(surroundings), validate: validator(surroundings), log })
const server = tlsServer(app, { cert: read('tls.crt'), key: read('tls.key') })

/** A policy that applies and evaluates the effect of the override, as in a cluster with limits. */
const POLICIES: readonly ExperimentPolicy[] = [
  {
    apiVersion: EXPERIMENT_POLICY.apiVersion,
    kind: EXPERIMENT_POLICY.kind,
    metadata: { name: 'limits' },
    spec: { maxReplicas: 3, deniedOverridePaths: ['template.spec.hostNetwork', 'template.spec.volumes[*].hostPath'] },
  },
]

const RESOLUTION_MS = 1
const PARSES = 3
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

/** The questions that the process answers, each with one number. */
const ANSWERS: Readonly<Record<string, () => number>> = {
  /** resident memory, in bytes */
  memory: () => process.memoryUsage.rss(),
  /** processor time so far, in microseconds */
  cpu: () => process.cpuUsage().user + process.cpuUsage().system,
  /** starts to measure the event loop */
  watch: () => {
    delay.reset()
    return Number(delay.enable())
  },
  /** its longest block since then, in milliseconds */
  block: () => {
    delay.disable()
    return Math.max(0, delay.max / 1e6 - RESOLUTION_MS)
  },
  /** three plain parses of the largest body, in milliseconds */
  parses: () => {
    const text = BODIES.largest()
    const started = performance.now()
    for (let parse = 0; parse < PARSES; parse += 1) JSON.parse(text)
    return performance.now() - started
  },
}

process.on('message', (question: string) => process.send?.({ answer: ANSWERS[question]?.() }))
process.on('disconnect', () => process.exit())
process.send?.({ port: await listen(server, 0, '127.0.0.1') })
