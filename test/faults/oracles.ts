/** What holds in every fault, whatever it is: read from the audit log, never from what the controller says. */
import { expect } from 'chai'
import { CONTROLLER_REVISION, EXPERIMENT_DEPLOYMENT, OWNER_UID } from '../../common/api/names.ts'
import { at, listOr, textOr } from '../../common/json/json.ts'
import { experimentId, roleUid } from '../../common/workload/identity.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { type AuditEvent, AuditTail, auditEvents } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { ownWritesIn } from '../../sandbox/proof.ts'
import { SourceWrites } from '../../sandbox/source-writes.ts'
import { controlPlane } from '../integration/fixture.ts'
import { condition, type Place } from '../integration/product.ts'

/** How soon everything is as wanted after a fault has ended. */
export const CONVERGED_MS = 30_000
/** The same where only a retry can notice that the fault has ended: the longest backoff with its jitter. */
export const RETRIED_MS = 72_000
/** How long nothing may be written then. */
export const QUIET_MS = 15_000

const CONTROLLER = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`
const WORKLOADS = new Set(Object.values(WORKLOAD_KINDS).map(({ plural }) => plural))
const FORK = /-experiment-([0-9a-f]{10})$/
/** Also the record of a promotion. */
const CHILD = /-experiment-([0-9a-f]{10})(?:-promotion)?$/

/** The wanted reason of the condition `Ready`, by the name of the experiment. */
export type Wanted = Readonly<Record<string, string>>

/** @throws AssertionError unless each experiment of `wanted` has its reason within `limitMs`, for its generation */
export async function converges(place: Place, wanted: Wanted, limitMs = CONVERGED_MS): Promise<void> {
  const isAsWanted = async () => {
    const found = await Promise.all(
      Object.keys(wanted).map(async (name) => {
        const experiment = await place.experimentAt(name)
        const isCurrent = experiment.status?.observedGeneration === experiment.metadata.generation
        const ready = condition(experiment, 'Ready')
        const reason = isCurrent ? (ready?.reason ?? 'no reason') : `of an older generation, ${ready?.reason}`
        return { name, reason, message: ready?.message }
      }),
    )
    const others = found.filter(({ name, reason }) => reason !== wanted[name])
    const said = others.map(({ name, reason, message }) => `${name} has ${reason}: ${message}`)
    expect(said, said.join('; ')).to.deep.equal([])
  }
  await eventually(`${place.namespace} to converge`, limitMs, isAsWanted)
}

/**
 * All oracles, after a fault has ended: within `limitMs` it converges and writes for the last time, and what was
 * written since the start was allowed.
 */
export async function recovers(place: Place, wanted: Wanted, limitMs = CONVERGED_MS): Promise<void> {
  const ended = new Date()
  const log = new AuditTail((await controlPlane()).auditLog, `"${place.namespace}"`)
  await converges(place, wanted, limitMs)
  await rests(place.namespace, { log, ended, limitMs })
  await converges(place, wanted, 0)
  await isSound(place.namespace)
}

/** A fault that has ended. */
interface Fault {
  readonly ended: Date
  /** since then */
  readonly log: AuditTail
  readonly limitMs: number
}

/**
 * Waits until nothing was written for `QUIET_MS`. @throws Error if there was a write later than `limitMs` after `ended`
 */
async function rests(namespace: string, { log, ended, limitMs }: Fault): Promise<void> {
  const late = new Date(ended.getTime() + limitMs)
  const since = async (time: Date) =>
    (await ownWritesIn(await log.events(), time)).all.filter((request) => request.includes(`/${namespace}/`))
  await eventually(
    `${namespace} to be quiet`,
    limitMs + 2 * QUIET_MS,
    async () => {
      const quiet = new Date(Math.max(ended.getTime(), Date.now() - QUIET_MS))
      expect(Date.now() - ended.getTime()).to.be.at.least(QUIET_MS)
      expect(await since(quiet)).to.deep.equal([])
    },
    { pauseMs: 500 },
  )
  expect(await since(late), `writes more than ${limitMs} ms after the fault`).to.deep.equal([])
}

/** @throws AssertionError that names what the controller wrote in `namespace` and should not have written */
export async function isSound(namespace: string): Promise<void> {
  const { auditLog } = await controlPlane()
  const { forbidden } = await ownWritesIn(auditEvents(auditLog, `"${namespace}"`), new Date(0))
  const own = forbidden.filter((request) => request.includes(`/${namespace}/`))
  expect([...own, ...violations(await historyOf(namespace))]).to.deep.equal([])
}

/** The requests for objects of `namespace` so far, in the order of their answers. */
export async function historyOf(namespace: string): Promise<readonly AuditEvent[]> {
  const { auditLog } = await controlPlane()
  const events: AuditEvent[] = []
  for await (const event of auditEvents(auditLog, `"${namespace}"`))
    if (event.objectRef?.namespace === namespace) events.push(event)
  return events
}

/** Whether the API server did what was asked. */
const isDone = ({ responseStatus }: AuditEvent): boolean => (responseStatus?.code ?? 500) < 300

const isFork = (event: AuditEvent): boolean =>
  WORKLOADS.has(event.objectRef?.resource ?? '') && FORK.test(nameOf(event))

const nameOf = ({ objectRef }: AuditEvent): string => objectRef?.name ?? ''

/** Those of `events` that created a fork. An apply is a patch, and is answered with 201 if it creates. */
export const creations = (events: readonly AuditEvent[]): readonly AuditEvent[] =>
  events.filter((event) => event.responseStatus?.code === 201 && isFork(event) && !event.objectRef?.subresource)

/** What `events` contradict of the rules for all writes of the controller. They may be in any order. */
export function violations(events: readonly AuditEvent[]): readonly string[] {
  const done = events.filter(isDone)
  const own = done.filter(({ user }) => user.username === CONTROLLER)
  return [
    ...twoForks(done),
    ...strangeChildren(own),
    ...blindDeletions(own),
    ...pastGenerations(own),
    ...writesOfSources(own),
  ]
}

/**
 * A source is written by promotions only, what a record says and each once, and by experiments that scale it.
 */
function writesOfSources(own: readonly AuditEvent[]): readonly string[] {
  const sources = new SourceWrites()
  return own
    .toSorted((a, b) => time(a) - time(b))
    .flatMap((event) => {
      sources.note(event)
      return sources.problemOf(event) ?? []
    })
}

/** An experiment has at most one fork at any time. The id in its name is that of the experiment. */
function twoForks(events: readonly AuditEvent[]): readonly string[] {
  const living = new Map<string, Set<string>>()
  const found: string[] = []
  for (const event of events.filter(isFork).toSorted((a, b) => time(a) - time(b))) {
    const { resource, namespace, name = '' } = event.objectRef ?? {}
    const id = FORK.exec(name)?.[1] ?? ''
    const forks = living.get(id) ?? new Set()
    const fork = `${resource}/${namespace}/${name}`
    if (event.verb === 'delete') forks.delete(fork)
    else if (creations([event]).length > 0) living.set(id, forks.add(fork))
    if (forks.size > 1) found.push(`${[...forks].join(' and ')} are forks of one experiment`)
  }
  return found
}

/**
 * What belongs to an experiment is written for the experiment whose id is in its name, and for no other: forks, twins,
 * pinned bases and records of promotions. The owner reference says for which, or a label where none is possible.
 */
const strangeChildren = (own: readonly AuditEvent[]): readonly string[] =>
  own.filter(isChild).flatMap((event) => {
    const name = nameOf(event)
    const owners = listOr(at(event.responseObject, 'metadata', 'ownerReferences'))
      .filter((owner) => at(owner, 'kind') === EXPERIMENT_DEPLOYMENT.kind)
      .map((owner) => at(owner, 'uid'))
    const label = at(event.responseObject, 'metadata', 'labels', OWNER_UID)
    const isStrange = (uid: unknown) => !idsOf(textOr(uid, '')).includes(CHILD.exec(name)?.[1] ?? '')
    const uids = label === undefined ? owners : [...owners, label]
    return event.verb !== 'delete' && uids.some(isStrange) ? [`${event.verb} ${name} for another experiment`] : []
  })

const isChild = (event: AuditEvent): boolean => {
  const { resource = '' } = event.objectRef ?? {}
  return (WORKLOADS.has(resource) || resource === CONTROLLER_REVISION.plural) && CHILD.test(nameOf(event))
}

/** The ids in the names of what belongs to the experiment with that uid. */
const idsOf = (uid: string) => (['experiment', 'control'] as const).map((role) => experimentId(roleUid(uid, role)))

/** Every deletion names the uid of what it deletes. */
const blindDeletions = (own: readonly AuditEvent[]): readonly string[] =>
  own
    .filter(({ verb, requestObject }) => verb.startsWith('delete') && !at(requestObject, 'preconditions', 'uid'))
    .map((event) => `${event.verb} ${event.objectRef?.resource}/${nameOf(event)} without uid`)

/** The status never goes back to an older generation, and never calls an older one ready. */
function pastGenerations(own: readonly AuditEvent[]): readonly string[] {
  const version = ({ responseObject }: AuditEvent) => Number(at(responseObject, 'metadata', 'resourceVersion'))
  const latest = new Map<string, number>()
  return own
    .filter(
      ({ objectRef }) => objectRef?.resource === EXPERIMENT_DEPLOYMENT.plural && objectRef.subresource === 'status',
    )
    .toSorted((a, b) => version(a) - version(b))
    .flatMap((event) => {
      const { responseObject } = event
      const metadata = responseObject?.metadata
      const status = responseObject?.status
      const observed = Number(at(status, 'observedGeneration'))
      const before = latest.get(metadata?.uid ?? '') ?? 0
      latest.set(metadata?.uid ?? '', observed)
      const isReady = listOr(at(status, 'conditions')).some(
        (each) => at(each, 'type') === 'Ready' && at(each, 'status') === 'True',
      )
      return [
        ...(observed < before ? [`${metadata?.name} observed generation ${before}, then ${observed}`] : []),
        ...(isReady && observed !== metadata?.generation ? [`${metadata?.name} is ready with an old generation`] : []),
      ]
    })
}

const time = ({ stageTimestamp }: AuditEvent): number => Date.parse(stageTimestamp)
