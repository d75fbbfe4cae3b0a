import { withDefaults } from '../api/defaults.ts'
import { expiresAt, isLive } from '../api/expiry.ts'
import { knownValue } from '../api/known.ts'
import { FORK_FINALIZER } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { Warning } from '../api/types.ts'
import { at, type JsonObject, listOr } from '../json/json.ts'
import type { Change } from '../override/changes.ts'
import { type TrafficReport, trafficReport } from '../surroundings/traffic-report.ts'
import { duration } from '../text/duration.ts'
import { percent } from '../text/percent.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import { replicasOf } from '../workload/status.ts'
import type { DesiredFork } from './assess.ts'
import type { Plan } from './conclusion.ts'
import { differences } from './differences.ts'
import type { Facts } from './facts.ts'
import { expiryMessage, toMinutes } from './lifecycle.ts'
import type { Evaluation } from './plan.ts'
import type { Write } from './write.ts'

/** What a description needs in addition to facts and plan. */
export interface Described {
  readonly evaluation: Evaluation
  /** the differences from the fork before the update, or from a fork without the override */
  readonly changes: () => readonly Change[]
  /** whether the name of the fork is not known yet: the real create after a dry run gets another uid */
  readonly isDryRunOfCreate: boolean
}

/** How many differences get a line of their own. */
const MAX_CHANGES = 5
/** Characters after `[Plan] ` in a line of 120. The author knows the source, but cannot guess the name of the fork. */
const MAX_LINE = 120 - '[Plan] '.length

/**
 * What the controller would write for `plan` and what follows from it, line by line. Every write has a line: `creates
 * deployment/x in shop`, `updates …`, `scales … down`, `deletes …`, `adds a finalizer to …`, `removes the finalizer of …`.
 */
export function describe(facts: Facts, plan: Plan, described: Described): readonly Warning[] {
  const { assessment } = described.evaluation
  const wanted = assessment.is === 'wanted' && isLive(facts.experiment, facts.now) ? assessment : undefined
  const report = wanted && reportOf(facts, wanted)
  const warnings = wanted ? wanted.warnings : []
  return [
    ...warnings,
    ...blockedLines(facts, plan, described),
    ...(report ? [...report.hazards, ...report.collisions] : []),
    ...planLines(writeLines(facts, plan, described)),
    ...(wanted && report && isWritten(plan) ? serviceLines(facts, wanted, report) : []),
    ...planLines(endLines(facts)),
  ]
}

const planLines = (texts: readonly string[]): readonly Warning[] =>
  texts.map((message) => ({ reason: 'Plan', message }))

/** Whether the wanted fork exists after the writes. */
const isWritten = ({ writes, conclusion }: Plan): boolean =>
  conclusion.source !== undefined || writes.some(({ verb }) => verb === 'apply')

function reportOf({ source, surroundings }: Facts, { kind, fork }: DesiredFork): TrafficReport {
  const { object, referents } = knownValue(source) ?? { object: undefined, referents: [] }
  return trafficReport({ kind, source: object, referents, fork }, surroundings)
}

/** Why nothing is written, if no other warning says it. */
function blockedLines(
  facts: Facts,
  { conclusion }: Plan,
  { evaluation: { assessment } }: Described,
): readonly Warning[] {
  if (!isLive(facts.experiment, facts.now) || assessment.is === 'wanted' || assessment.errors.length > 0) return []
  return [{ reason: conclusion.reason, message: conclusion.message }]
}

function writeLines(facts: Facts, plan: Plan, described: Described): readonly string[] {
  const { assessment } = described.evaluation
  const lines = plan.writes.map((write) => lineOf(write, facts, described))
  if (isBeingDeleted(facts.experiment)) return lines
  if (facts.fork.is === 'unknown')
    return [...lines, `the fork could not be read now (${facts.fork.because}), so what is written is unknown`]
  if (!isLive(facts.experiment, facts.now)) return lines
  const isBlocked = assessment.is === 'blocked' ? assessment.errors.length > 0 : !isWritten(plan)
  if (isBlocked) return [...lines, ...standstill(facts, plan)]
  if (assessment.is === 'blocked') return lines
  const isApplied = plan.writes.some(({ verb }) => verb === 'apply')
  const unchanged = isApplied
    ? []
    : [
        `changes nothing in ${nameOf(assessment.fork)} in ${assessment.fork.metadata.namespace}: ${pods(assessment.fork)}`,
      ]
  return [...lines, ...unchanged, ...(isApplied ? changeLines(described) : [])]
}

/** The writes, and what missing writes wait for. */
function standstill({ fork, experiment }: Facts, { writes, conclusion: { reason } }: Plan): readonly string[] {
  const until = UNTIL[reason] ?? 'until this is corrected'
  if (writes.length > 0) return [`changes nothing else ${until}`]
  const more =
    fork.is === 'known' && withDefaults(experiment.spec).replicas > replicasOf(fork.value)
      ? `; the fork keeps ${pods(fork.value)}`
      : ''
  return [`${fork.is === 'known' ? 'changes' : 'creates'} nothing ${until}${more}`]
}

const UNTIL: Readonly<Partial<Record<Plan['conclusion']['reason'], string>>> = {
  PolicyDenied: 'until policies allow it',
  LimitReached: 'until policies allow it',
  PolicyNotRead: 'until the policies can be read',
}

function lineOf(write: Write, facts: Facts, { isDryRunOfCreate }: Described): string {
  const newName = (object: KubeObject) => (isDryRunOfCreate ? nameOf(object).replace(/[^-]+$/, '<id>') : nameOf(object))
  switch (write.verb) {
    case 'apply': {
      const verb = write.role === 'newFork' ? 'creates' : 'updates'
      const name = write.role === 'newFork' ? newName(write.object) : nameOf(write.object)
      const { kind, name: source } = facts.experiment.spec.sourceRef
      const line = `${verb} ${name} in ${write.object.metadata.namespace}: ${pods(write.object)}`
      const from = `, from ${kind.toLowerCase()}/${source}`
      return line.length + from.length <= MAX_LINE ? line + from : line
    }
    case 'create':
      return `creates ${newName(write.object)} in ${write.object.metadata.namespace}: the base that the fork keeps`
    case 'patch':
      return patchLine(write, facts)
    case 'delete':
      return `deletes ${nameOf(write.of)} in ${write.of.metadata.namespace}`
  }
}

function patchLine({ role, of, patch }: Extract<Write, { verb: 'patch' }>, { experiment }: Facts): string {
  switch (role) {
    case 'fork':
      return `scales ${nameOf(of)} down to ${withDefaults(experiment.spec).replicas} pods`
    case 'experiment':
      return `${isAdded(patch) ? 'adds a finalizer to' : 'removes the finalizer of'} expd/${of.metadata.name}`
  }
}

const isAdded = (patch: JsonObject): boolean => listOr(at(patch, 'metadata', 'finalizers')).includes(FORK_FINALIZER)

const nameOf = ({ kind, metadata: { name } }: KubeObject): string => `${kind.toLowerCase()}/${name}`

const pods = (fork: KubeObject): string => {
  const replicas = replicasOf(fork)
  return replicas === 1 ? '1 pod' : `${replicas} pods`
}

function changeLines({ changes }: Described): readonly string[] {
  const found = differences(changes())
  const lines = found.slice(0, MAX_CHANGES).map(({ text }) => text)
  return found.length <= MAX_CHANGES ? lines : [...lines, `and ${found.length - MAX_CHANGES} more changes`]
}

function serviceLines({ surroundings }: Facts, { fork }: DesiredFork, { services }: TrafficReport): readonly Warning[] {
  const replicas = replicasOf(fork)
  if (surroundings.traffic.is !== 'known')
    return planLines(['the share of requests is unknown: the Services could not be read'])
  if (replicas === 0) return planLines(['no pods, so no requests; scale it to give it some'])
  if (services.length === 0) return planLines(['no Service selects these pods: they will receive no traffic'])
  return services.flatMap((service) => serviceLine(service, replicas))
}

function serviceLine(service: TrafficReport['services'][number], replicas: number): readonly Warning[] {
  const { name, selected, reason, message, experimentEndpoints, readyEndpoints } = service
  // The labels are part of the plan; what the controller of the source decides is not.
  const about = reason === undefined || reason === 'LabelsDoNotMatch' ? 'Plan' : reason
  if (!selected)
    return [{ reason: about, message: `service/${name}: no requests; ${message ?? 'it does not select the pods'}` }]
  if (reason !== undefined) return [{ reason: about, message: `service/${name}: ${message}` }]
  const expected = readyEndpoints - experimentEndpoints + replicas
  return planLines([
    `service/${name}: about ${percent(replicas, expected)} of new connections (${replicas} of ${expected} endpoints)`,
    ...(message ? [`service/${name}: ${message}`] : []),
  ])
}

/** When the experiment expires, if it does. */
function endLines({ experiment, now }: Facts): readonly string[] {
  const end = expiresAt(experiment)
  if (end === undefined) return []
  const { ttlSeconds = 0 } = experiment.spec
  const ageS = Math.floor((now.getTime() - Date.parse(experiment.metadata.creationTimestamp ?? '')) / 1_000)
  const leftS = ttlSeconds - (ageS < 2 ? 0 : ageS) // a new experiment has all its time
  if (leftS <= 0) return [expiryMessage(experiment)]
  return [`removed ${toMinutes(end)} (in ${duration(leftS)})`]
}
