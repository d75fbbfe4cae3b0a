/** What must hold whenever a controller was killed: a direct watch, end states without what may differ, Events. */
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, type Json, listOr, textOr } from '../../common/json/json.ts'
import { kubeClient } from '../../common/kube/client/client.ts'
import { pathOf, RESOURCES } from '../../common/kube/client/resources.ts'
import { realTimers } from '../../common/program/clock.ts'
import { auditEvents } from '../../sandbox/audit.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { controlPlane } from '../integration/fixture.ts'

const FORK_NAME = /-experiment-([0-9a-f]{10})$/
const WATCH_SECONDS = 7_200

/** What a watch past the proxies saw. */
export interface History {
  /** how often forks were `ADDED` and `DELETED` in a namespace */
  readonly forkEvents: (namespace: string) => Readonly<Record<'ADDED' | 'DELETED', number>>
  /** sentences about a second fork, a lower `observedGeneration` or a condition of another generation. @throws Error if a watch broke */
  readonly problems: (namespace: string) => readonly string[]
  readonly stop: () => Promise<void>
}

interface WatchEvent {
  readonly type: string
  readonly object: KubeObject
}

/** Watches all Deployments and experiments. */
export async function startHistory(): Promise<History> {
  const { kubeconfig } = await controlPlane()
  const timers = realTimers()
  const client = kubeClient({ kubeconfig, userAgent: 'history', timers, random: Math.random, connections: 4 })
  const stopping = new AbortController()
  const forks: { readonly namespace: string; readonly type: string; readonly id: string }[] = []
  const alive = new Map<string, Set<string>>() // uids of forks by the id of their experiment
  const observed = new Map<string, number>() // by the uid of the experiment
  const found: { readonly namespace: string; readonly problem: string }[] = []

  const forkSeen = ({ type, object: { metadata } }: WatchEvent): void => {
    const [, id] = FORK_NAME.exec(metadata.name) ?? []
    const { namespace = '', uid = '' } = metadata
    if (id === undefined) return
    const present = alive.get(id) ?? new Set()
    alive.set(id, present)
    if (type === 'DELETED') present.delete(uid)
    else present.add(uid)
    if (present.size > 1) found.push({ namespace, problem: `${present.size} forks at once` })
    if (type !== 'MODIFIED') forks.push({ namespace, type, id })
  }
  const experimentSeen = ({ object }: WatchEvent): void => {
    const { namespace = '', uid = '' } = object.metadata
    const generation = at(object, 'status', 'observedGeneration')
    if (typeof generation !== 'number') return
    const before = observed.get(uid) ?? 0
    observed.set(uid, generation)
    if (generation < before)
      found.push({ namespace, problem: `observedGeneration fell from ${before} to ${generation}` })
    const older = listOr(at(object, 'status', 'conditions')).filter(
      (of) => isObject(of) && of.type === 'Ready' && of.status === 'True' && of.observedGeneration !== generation,
    )
    if (older.length > 0) found.push({ namespace, problem: 'Ready is true for an older generation' })
  }
  let broken: Error | undefined
  const follow = async (path: string, seen: (event: WatchEvent) => void): Promise<void> => {
    const query = { watch: true, timeoutSeconds: WATCH_SECONDS }
    const lines = await client.stream({ path, query, signal: stopping.signal })
    const read = async () => {
      for await (const line of lines) seen(JSON.parse(line))
      throw new Error('a watch of the test has ended')
    }
    read().catch((error: Error) => {
      broken = error
    })
  }
  await follow(pathOf(RESOURCES.Deployment), forkSeen)
  await follow(pathOf(RESOURCES.ExperimentDeployment), experimentSeen)
  return {
    forkEvents: (namespace) => {
      const count = (type: string) => forks.filter((each) => each.namespace === namespace && each.type === type).length
      return { ADDED: count('ADDED'), DELETED: count('DELETED') }
    },
    problems: (namespace) => {
      if (broken) throw broken
      return found.filter((each) => each.namespace === namespace).map(({ problem }) => problem)
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
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z/g

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
    return new Map(one === other ? [] : [[path, `${JSON.stringify(one)} is ${JSON.stringify(other)}`]])
  const [a, b] = [one, other] as readonly Readonly<Record<string, Json>>[]
  const keys = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])
  return new Map([...keys].flatMap((key) => [...differences(a?.[key], b?.[key], `${path}/${key}`)]))
}

/** How many Events each reason has in a namespace. */
export async function eventCounts(namespace: string): Promise<Readonly<Record<string, number>>> {
  const { api } = await controlPlane()
  const events = await api.list(pathOf(RESOURCES.Event, { namespace }))
  const reasons = events
    .filter((event) => at(event, 'regarding', 'kind') === RESOURCES.ExperimentDeployment.kind)
    .map((event) => textOr(event.reason, ''))
  return Object.fromEntries(
    [...new Set(reasons)].map((reason) => [reason, reasons.filter((of) => of === reason).length]),
  )
}

/** A time in which nothing may be written in the namespaces of a run. */
export interface Silence extends Namespaces {
  readonly run: string
  readonly fromMs: number
  readonly toMs: number
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** What our accounts wrote in quiet times, according to the audit log. */
export async function disturbed(silences: readonly Silence[]): Promise<readonly string[]> {
  const { auditLog } = await controlPlane()
  const found: string[] = []
  for await (const { user, verb, objectRef, requestReceivedTimestamp } of auditEvents(auditLog, SYSTEM_NAMESPACE)) {
    const { resource, namespace = '', name } = objectRef ?? {}
    if (!WRITES.has(verb) || resource === 'leases' || !user.username.includes(SYSTEM_NAMESPACE)) continue
    const atMs = Date.parse(requestReceivedTimestamp)
    for (const { run, own, forks, fromMs, toMs } of silences)
      if ([own, forks].includes(namespace) && fromMs <= atMs && atMs <= toMs)
        found.push(`${run}: ${verb} ${resource}/${name}`)
  }
  return found
}
