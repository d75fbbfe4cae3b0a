import { randomBytes } from 'node:crypto'
import type { KubeObject } from '../common/api/object.ts'
import { at, listOr } from '../common/json/json.ts'
import { pause, type Timers } from '../common/program/clock.ts'
import { type Cluster, type ClusterState, textIn } from './cluster.ts'

/** A kubelet updates a mounted Secret within about two minutes, and the webhook reads it every ten seconds. */
const EVERY_POD_HAS_IT_MS = 150_000
/** API servers watch the configurations. Each has a new path well within this time. */
const PUBLISHED_MS = 5_000

/** How to renew the secret in the path. */
export interface PathRenewal {
  /** replaces the secret */
  readonly wantsNewPath: boolean
  readonly timers: Timers
  /** prints a line for every step */
  readonly say: (line: string) => void
}

/**
 * Gives the API server a path that only it knows: the same secret in both webhook configurations and in the Secret that
 * the webhook mounts. While there is no Secret the webhook accepts any path, so the first secret is published first. A
 * further one is accepted by every pod beside the old one before it is published. Each state is one from which the next
 * run goes on, so it completes a run that was interrupted.
 * @throws KubeError if the API server refuses a write
 */
export async function renewPathSecret(cluster: Cluster, found: ClusterState, renewal: PathRenewal): Promise<void> {
  const { timers, say, wantsNewPath } = renewal
  const name = cluster.objectNames.pathSecret
  const wait = async (ms: number): Promise<void> => {
    if (!cluster.isDryRun) await pause(timers, ms, new AbortController().signal)
  }
  const publish = async (secret: string): Promise<void> => {
    for (const configuration of found.configurations) await cluster.publishPath(configuration, secret)
  }
  const former = textIn(found.path, 'current') || found.configurations.map(secretIn).find((secret) => secret) || ''
  const current = former || newSecret()
  if (!found.path) {
    await publish(current)
    await wait(PUBLISHED_MS)
    await cluster.writePathSecrets(undefined, { current })
    return say(`path secret created (Secret ${name})`)
  }
  const unfinished = textIn(found.path, 'next')
  if (unfinished === '' && !wantsNewPath) {
    await publish(current) // an apply of other manifests may have removed it
    return say(`path secret kept (Secret ${name})`)
  }
  const next = unfinished || newSecret()
  const both = await cluster.writePathSecrets(found.path, { current, next })
  say(`path secret added beside the old one (Secret ${name}); waiting until every pod has it`)
  await wait(EVERY_POD_HAS_IT_MS)
  await publish(next)
  await wait(PUBLISHED_MS)
  await cluster.writePathSecrets(both, { current: next })
  say(`path secret replaced (Secret ${name})`)
}

/** A secret that fits into a path. */
export const newSecret = (): string => randomBytes(32).toString('hex')

/** The secret in the path by which the API server calls the webhooks of `configuration`. */
const secretIn = ({ webhooks }: KubeObject): string | undefined =>
  listOr(webhooks)
    .map((webhook) => {
      const [url, path] = [at(webhook, 'clientConfig', 'url'), at(webhook, 'clientConfig', 'service', 'path')]
      return typeof url === 'string' ? new URL(url).pathname : String(path ?? '')
    })
    .map((path) => path.split('/')[2])
    .find((secret) => secret !== undefined && secret !== '')
