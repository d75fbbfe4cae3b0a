/** `npm run certs`: creates or renews the webhook's certificate in a cluster without cert-manager. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { kubeClient } from '../common/kube/library/client.ts'
import { realTimers } from '../common/program/clock.ts'
import { VERSION } from '../common/program/version.ts'
import { clusterOf } from './cluster.ts'
import { readOptions, USAGE } from './options.ts'
import { nextPathEnv } from './path-env.ts'
import { newSecret } from './path-secret.ts'
import { renew } from './renew.ts'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function run(): Promise<void> {
  const { isHelp, isDryRun, pathEnv, kubeconfig, objectNames, ...wants } = readOptions(
    process.argv.slice(2),
    process.env,
  )
  if (isHelp) return console.log(USAGE)
  const say = (line: string): void => console.log(isDryRun ? `${line} (dry run)` : line)
  if (pathEnv !== undefined) {
    const before = existsSync(pathEnv) ? readFileSync(pathEnv, 'utf8') : ''
    const { what, text } = nextPathEnv(before, { ...wants, newSecret })
    if (!isDryRun) writeFileSync(pathEnv, text, { mode: 0o600 })
    return say(`${what} (${pathEnv})`)
  }
  const timers = realTimers()
  const kube = kubeClient({ kubeconfig, userAgent: `experiment-certs/${VERSION}`, timers, random: Math.random })
  try {
    await renew(clusterOf(kube, objectNames, isDryRun), { ...wants, clock: () => new Date(), timers, say })
  } finally {
    await kube.close()
  }
}

try {
  await run()
} catch (error) {
  console.error(`certs: ${messageOf(error)}`)
  process.exitCode = 1
}
