/**
 * What must hold whenever a controller was killed: end states without what may differ, forks, Events, the audit log.
 */
import { ANALYSIS_RUN } from '../../../common/api/names.ts'
import type { KubeObject, ResourceType } from '../../../common/api/object.ts'
import { at, type Json, textOr } from '../../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../../common/kube/client/resources.ts'
import { kubeClient } from '../../../common/kube/library/client.ts'
import { realTimers } from '../../../common/program/clock.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { type AuditEvent, auditEvents } from '../../../sandbox/audit.ts'
import { SYSTEM_NAMESPACE } from '../../../sandbox/installation.ts'
import { controlPlane } from '../../integration/fixture.ts'
import { violations } from '../oracles.ts'

const FORK_NAME = /-experiment-[0-9a-f]{10}$/
const WATCH_SECONDS = 7_200

/** What watches past the proxies saw. */
export interface History {
  /** How often forks were `ADDED` and `DELETED` in a namespace. @throws Error if a watch broke */
  readonly forkEvents: (namespace: string) => Readonly<Record<'ADDED' | 'DELETED', number>>
  /** The runs in a namespace that had another verdict after their last one. @throws Error if a watch broke */
  readonly verdictProblems: (namespace: string) => readonly string[]
  readonly stop: () => Promise<void>
}

interface WatchEvent {
  readonly type: string
  readonly object: KubeObject
}

/** The kinds of the forks of scenarios. Rollouts are there only if the cluster serves them. */
async function forkKinds(): Promise<readonly ResourceType[]> {
  const { api } = await controlPlane()
  const { groups } = await api.get<{ readonly groups: readonly { readonly name: string }[] }>('/apis')
  return groups.some(({ name }) => rollout.apiVersion.startsWith(`${name}/`)) ? [deployment, rollout] : [deployment]
}

/** Watches all Deployments, Rollouts and analysis runs. */
export async function startHistory(): Promise<History> {
  const { kubeconfig } = await controlPlane()
  const timers = realTimers()
  const client = kubeClient({ kubeconfig, userAgent: 'history', timers, random: Math.random, connections: 5 })
  const stopping = new AbortController()
  const query = { watch: true, timeoutSeconds: WATCH_SECONDS }
  const forks: string[] = []
  /** by namespace and name */
  const verdicts = new Map<string, string[]>()
  let broken: Error | undefined

  async function follow(resource: Parameters<typeof resourcePath>[0], see: (event: WatchEvent) => void): Promise<void> {
    const lines = await client.stream({ path: resourcePath(resource), query, signal: stopping.signal })
    const followed = async () => {
      for await (const line of lines) see(JSON.parse(line))
      throw new Error('a watch of the test has ended')
    }
    followed().catch((error: Error) => {
      broken = error
    })
  }
  for (const kind of await forkKinds())
    await follow(kind, ({ type, object: { metadata } }) => {
      if (FORK_NAME.test(metadata.name)) forks.push(`${metadata.namespace} ${type}`)
    })
  await follow(ANALYSIS_RUN, ({ object: { metadata, status } }) => {
    const key = `${metadata.namespace}/${metadata.name}`
    const known = verdicts.get(key) ?? []
    const verdict = textOr(at(status, 'verdict'), 'Wait')
    if (known.at(-1) !== verdict) verdicts.set(key, [...known, verdict])
  })
  const isSeen = () => {
    if (broken) throw broken
  }
  return {
    forkEvents: (namespace) => {
      isSeen()
      const count = (type: string) => forks.filter((each) => each === `${namespace} ${type}`).length
      return { ADDED: count('ADDED'), DELETED: count('DELETED') }
    },
    verdictProblems: (namespace) => {
      isSeen()
      const changed = [...verdicts].filter(([key, [, ...later]]) => key.startsWith(`${namespace}/`) && later.length > 1)
      return changed.map(([key, each]) => `the verdict of ${key} was ${each.join(', then ')}`)
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
  const listOf = (kind: ResourceType) => api.list(resourcePath(kind, { namespace: forks }))
  const listed = await Promise.all([
    api.list(resourcePath(RESOURCES.ExperimentDeployment, { namespace: own })),
    forkKinds().then(async (kinds) => (await Promise.all(kinds.map(listOf))).flat()),
    api.list(resourcePath(RESOURCES.ControllerRevision, { namespace: forks })),
    api.list(resourcePath(RESOURCES.Service, { namespace: forks })),
    api.list(`${resourcePath(RESOURCES.ExperimentPolicy)}?fieldSelector=metadata.name=${policyName(own)}`),
  ])
  const [experiments, workloads, bases, services, policies] = listed
  return neutral({ experiments, workloads, bases, services, policies } as unknown as Json, { own, forks })
}

/** The name of the policy that lets experiments in `own` have sources elsewhere. */
export const policyName = (own: string): string => `crash-${own}`

const UNCOMPARED = new Set(['resourceVersion', 'managedFields', 'ttlSeconds'])
/** How many requests a window has depends on when the controller was killed. */
const EVIDENCE = /(errors) [^"]*harm [^"]*/g
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
      .replaceAll(EVIDENCE, '$1 EVIDENCE')
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
  for (const event of await api.list(resourcePath(RESOURCES.Event, { namespace }))) {
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
