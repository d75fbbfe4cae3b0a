import { withDefaults } from '../common/api/defaults.ts'
import { duration } from '../common/api/duration.ts'
import { isEqual } from '../common/api/equal.ts'
import { expiresAt } from '../common/api/expiry.ts'
import { at, type KubeObject } from '../common/api/object.ts'
import { type Concern, isLive } from '../common/api/policy.ts'
import type { ServiceShare } from '../common/api/types.ts'
import type { Change } from '../common/workload/changes.ts'
import { percent } from '../common/workload/percent.ts'
import { type Asked, isRevival } from './asked.ts'
import { differences } from './comparison.ts'
import { warning } from './warnings.ts'

/** All that a prediction may know. */
export interface Foreseen {
  readonly asked: Asked
  /** what the controller will apply */
  readonly fork: KubeObject
  /** what it applied for the resource as it was, where that can be told and is still there */
  readonly previous: KubeObject | undefined
  /** from that, or from a copy without changes */
  readonly changes: readonly Change[]
  /** today's rows of the Services that concern the experiment; undefined where they could not be read */
  readonly services: readonly ServiceShare[] | undefined
  /** what policies have against it and yet admit, for it is old; undefined where there is nothing */
  readonly obstacle: Concern | undefined
  readonly now: Date
}

/** Changes that get a line of their own. */
const MAX_CHANGES = 5

/** What the controller will do, as warnings for `kubectl` to print. */
export const prediction = (foreseen: Foreseen): readonly string[] => [
  ...(isLive(foreseen.asked.experiment, foreseen.now) ? doing(foreseen) : []), // else the fork goes, or is gone
  ...endLines(foreseen).map((text) => warning('Plan', text)),
]

function doing(foreseen: Foreseen): readonly string[] {
  const plan = (texts: readonly string[]) => texts.map((text) => warning('Plan', text))
  const { asked, obstacle } = foreseen
  if (obstacle === 'terms') return plan([denied(asked)])
  const unless = obstacle ? [UNLESS[obstacle]] : []
  return [...plan([deed(foreseen), ...changeLines(foreseen), ...unless]), ...serviceLines(foreseen)]
}

/**
 * Of a fork that policies deny its terms: none is made, and one that is there only gets as few pods as it is to have. It
 * may have fewer already, for `kubectl scale` is not asked about growth, and then keeps those.
 */
function denied({ experiment, previous }: Asked): string {
  const { replicas } = withDefaults(experiment.spec)
  return previous && replicas < withDefaults(previous.spec).replicas
    ? `keeps at most ${counted(replicas)}; nothing else is made or changed until policies allow it`
    : 'nothing is made or changed until policies allow it'
}

/** Of one that they deny less: whether it is there, and how large, is for the controller to see. */
const UNLESS: Readonly<Record<Exclude<Concern, 'terms'>, string>> = {
  share: 'if it is not there yet or has to grow, nothing is made or changed until policies allow it',
  places: 'if it is not there yet, it is not made until policies allow it',
}

/**
 * The same for a resource with a mistake, of which the controller says that it is stalled: it makes no fork, leaves one
 * that is there as it is, larger or smaller than it is to be, and removes it in the end.
 */
export const standstill = ({ asked, now }: Pick<Foreseen, 'asked' | 'now'>): readonly string[] =>
  [
    ...(isLive(asked.experiment, now) ? ['nothing is made or changed until this is corrected'] : []),
    ...endLines({ asked, now }),
  ].map((text) => warning('Plan', text))

function deed({ asked, fork, previous, now }: Foreseen): string {
  const { operation, dryRun } = asked.request
  const kind = fork.kind.toLowerCase()
  const { namespace } = fork.metadata
  const from = `from ${kind}/${asked.place.name}`
  // the real create will have another uid, and so another suffix
  if (operation === 'CREATE')
    return `creates ${kind}/${dryRun ? undecided(fork.metadata.name) : fork.metadata.name} in ${namespace}: ${pods(fork)}, ${from}`
  if (isRevival(asked, now))
    return `creates ${kind}/${fork.metadata.name} again in ${namespace}: ${pods(fork)}, ${from}`
  const isSame = previous !== undefined && isEqual(previous.spec, fork.spec)
  const verb = isSame ? 'changes nothing in' : 'updates'
  return `${verb} ${kind}/${fork.metadata.name} in ${namespace}: ${pods(fork)}, ${from}`
}

const undecided = (name: string): string => name.replace(/[^-]+$/, '<id>')

const pods = (fork: KubeObject): string => counted(replicasOf(fork))

const counted = (replicas: number): string => (replicas === 1 ? '1 pod' : `${replicas} pods`)

const replicasOf = (workload: KubeObject): number => Number(at(workload, 'spec', 'replicas') ?? 1)

function changeLines({ changes }: Foreseen): readonly string[] {
  const found = differences(changes)
  const lines = found.slice(0, MAX_CHANGES).map(({ text }) => text)
  return found.length <= MAX_CHANGES ? lines : [...lines, `and ${found.length - MAX_CHANGES} more changes`]
}

function serviceLines({ fork, services }: Foreseen): readonly string[] {
  const replicas = replicasOf(fork)
  const plan = (text: string) => [warning('Plan', text)]
  if (services === undefined) return plan('the share of requests is unknown: the Services could not be read')
  if (replicas === 0) return plan('no pods, so no requests; scale it to give it some')
  if (services.length === 0) return plan('no Service selects its pods: nothing is sent to it by itself')
  return services.flatMap((service) => serviceLine(service, replicas))
}

function serviceLine(service: ServiceShare, replicas: number): readonly string[] {
  const { name, selected, reason, message, experimentEndpoints, readyEndpoints } = service
  // what the source's controller decides is not of our planning; labels are
  const about = reason === undefined || reason === 'LabelsDoNotMatch' ? 'Plan' : reason
  if (!selected) return [warning(about, `service/${name}: no requests; ${message ?? 'it does not select the pods'}`)]
  if (reason !== undefined) return [warning(about, `service/${name}: ${message}`)]
  const expected = readyEndpoints - experimentEndpoints + replicas
  return [
    `service/${name}: about ${percent(replicas, expected)} of new connections (${replicas} of ${expected} endpoints)`,
    ...(message ? [`service/${name}: ${message}`] : []),
  ].map((text) => warning('Plan', text))
}

/** When it is over, if it ever is. */
function endLines({ asked, now }: Pick<Foreseen, 'asked' | 'now'>): readonly string[] {
  const { experiment } = asked
  const { creationTimestamp = now.toISOString() } = experiment.metadata
  const end = expiresAt({ ...experiment, metadata: { ...experiment.metadata, creationTimestamp } })
  if (end === undefined || experiment.spec.ttlSeconds === undefined) return []
  const isNew = asked.request.operation === 'CREATE' // created a moment ago, in whole seconds
  const leftS = isNew ? experiment.spec.ttlSeconds : Math.round((Date.parse(end) - now.getTime()) / 1_000)
  if (leftS <= 0) return [`over since ${minutes(end)}; raise spec.ttlSeconds to revive it`]
  return [`removed ${minutes(end)} (in ${duration(leftS)})`]
}

/** RFC 3339 less its seconds. */
const minutes = (time: string): string => `${time.slice(0, 16)}Z`
