/**
 * What must hold whenever a controller was killed: end states without what may differ, forks, Events, the audit log.
 */
import type { KubeObject } from '../../../common/api/object.ts'
import { at, type Json, textOr } from '../../../common/json/json.ts'
import { kubeClient } from '../../../common/kube/client/client.ts'
import { pathOf, RESOURCES } from '../../../common/kube/client/resources.ts'
import { realTimers } from '../../../common/program/clock.ts'
import { type AuditEvent, auditEvents } from '../../../sandbox/audit.ts'
import { SYSTEM_NAMESPACE } from '../../../sandbox/installation.ts'
import { controlPlane } from '../../integration/fixture.ts'
import { violations } from '../oracles.ts'

const FORK_NAME = /-experiment-[0-9a-f]{10}$/
const WATCH_SECONDS = 7_200

/** What a watch past the proxies saw. */
export interface History {
  /** How often forks were `ADDED` and `DELETED` in a namespace. @throws Error if the watch broke */
  readonly forkEvents: (namespace: string) => Readonly<Record<'ADDED' | 'DELETED', number>>
  readonly stop: () => Promise<void>
}

interface WatchEvent {
  readonly type: string
  readonly object: KubeObject
}

/** Watches all Deployments. */
export async function startHistory(): Promise<History> {
  const { kubeconfig } = await controlPlane()
  const timers = realTimers()
  const client = kubeClient({ kubeconfig, userAgent: 'history', timers, random: Math.random, connections: 4 })
  const stopping = new AbortController()
  const query = { watch: true, timeoutSeconds: WATCH_SECONDS }
  const lines = await client.stream({ path: pathOf(RESOURCES.Deployment), query, signal: stopping.signal })
  const seen: string[] = []
  let broken: Error | undefined
  const follow = async () => {
    for await (const line of lines) {
      const { type, object }: WatchEvent = JSON.parse(line)
      if (FORK_NAME.test(object.metadata.name)) seen.push(`${object.metadata.namespace} ${type}`)
    }
    throw new Error('the watch of the test has ended')
  }
  follow().catch((error: Error) => {
    broken = error
  })
  return {
    forkEvents: (namespace) => {
      if (broken) throw broken
      const count = (type: string) => seen.filter((each) => each === `${namespace} ${type}`).length
      return { ADDED: count('ADDED'), DELETED: count('DELETED') }
    },
    stop: () => {
      stopping.abort()
      return client.close()
    },
  }
}

/** The namespace of an experiment, and that of its source and fork. */
export interface Namespaces {
  readonly own: string
  readonly forks: string
}

/** The experiments, workloads, pinned bases and Services of a run. Uids, versions, times and names are made neutral. */
export async function endState({ own, forks }: Namespaces): Promise<Json> {
  const { api } = await controlPlane()
  const listed = await Promise.all([
    api.list(pathOf(RESOURCES.ExperimentDeployment, { namespace: own })),
    api.list(pathOf(RESOURCES.Deployment, { namespace: forks })),
    api.list(pathOf(RESOURCES.ControllerRevision, { namespace: forks })),
    api.list(pathOf(RESOURCES.Service, { namespace: forks })),
    api.list(pathOf(RESOURCES.ExperimentPolicy)),
  ])
  const [experiments, workloads, bases, services, policies = []] = listed
  const of = policies.filter(({ metadata }) => metadata.name === policyName(own))
  return neutral({ experiments, workloads, bases, services, policies: of } as unknown as Json, { own, forks })
}

/** The name of the policy that lets experiments in `own` have sources elsewhere. */
export const policyName = (own: string): string => `crash-${own}`

const UNCOMPARED = new Set(['resourceVersion', 'managedFields', 'ttlSeconds'])
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{3})?)?Z/g

function neutral(value: Json, { own, forks }: Namespaces): Json {
  const text = JSON.stringify(value, (key, inner) => (UNCOMPARED.has(key) ? undefined : inner))
  const ids = new Set([...text.matchAll(/-experiment-([0-9a-f]{10})/g)].map(([, id = '']) => id))
  return JSON.parse(
    [...ids]
      .reduce((of, id) => of.replaceAll(id, 'ID'), text)
      .replaceAll(own, 'OWN')
      .replaceAll(forks, 'FORKS')
      .replaceAll(UID, 'UID')
      .replaceAll(TIME, 'TIME')
      .replaceAll(/expired \w+ after/g, 'expired after'),
  )
}

/** The paths at which two values differ, with both values. */
export function differences(one: Json | undefined, other: Json | undefined, path = ''): ReadonlyMap<string, string> {
  const isBranch = (value: Json | undefined) => typeof value === 'object' && value !== null
  if (!isBranch(one) || !isBranch(other) || Array.isArray(one) !== Array.isArray(other))
    return new Map(one === other ? [] : [[path, `${JSON.stringify(one)} instead of ${JSON.stringify(other)}`]])
  const [a, b] = [one, other] as readonly Readonly<Record<string, Json>>[]
  const keys = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])
  return new Map([...keys].flatMap((key) => [...differences(a?.[key], b?.[key], `${path}/${key}`)]))
}

/** How often each reason was told in the Events of a namespace. */
export async function eventCounts(namespace: string): Promise<Readonly<Record<string, number>>> {
  const { api } = await controlPlane()
  const counts: Record<string, number> = {}
  for (const event of await api.list(pathOf(RESOURCES.Event, { namespace }))) {
    if (at(event, 'regarding', 'kind') !== RESOURCES.ExperimentDeployment.kind) continue
    const reason = textOr(event.reason, '')
    counts[reason] = (counts[reason] ?? 0) + Number(at(event, 'series', 'count') ?? 1)
  }
  return counts
}

/** A time in which nothing may be written in the namespaces of a run. */
export interface Silence extends Namespaces {
  readonly run: string
  readonly fromMs: number
  readonly toMs: number
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** What the audit log tells of runs: writes in their quiet times, and what contradicts the rules for all writes. */
export async function auditProblems(silences: readonly Silence[]): Promise<readonly string[]> {
  const { auditLog } = await controlPlane()
  const silenceOf = new Map(silences.flatMap((each) => [[each.own, each] as const, [each.forks, each] as const]))
  const events: AuditEvent[] = []
  const found: string[] = []
  for await (const event of auditEvents(auditLog)) {
    const { user, verb, objectRef, requestReceivedTimestamp } = event
    const { resource, namespace = '', name } = objectRef ?? {}
    const silence = silenceOf.get(namespace)
    if (!silence || !WRITES.has(verb)) continue
    events.push(event)
    const atMs = Date.parse(requestReceivedTimestamp)
    const isQuiet = silence.fromMs <= atMs && atMs <= silence.toMs
    if (isQuiet && user.username.includes(SYSTEM_NAMESPACE)) found.push(`${silence.run}: ${verb} ${resource}/${name}`)
  }
  return [...found, ...violations(events)]
}
