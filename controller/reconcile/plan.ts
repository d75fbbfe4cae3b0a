import { withDefaults } from '../../common/api/defaults.ts'
import { untilExpiryMs } from '../../common/api/expiry.ts'
import { DERIVED_HASH } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { limitedBy } from '../../common/api/policy.ts'
import type { Reason } from '../../common/api/reasons.ts'
import type { SourceStatus } from '../../common/api/types.ts'
import { forkHealth } from '../../common/workload/health.ts'
import { isApart, isHeld, isLeaving } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { isPinned, type Pinned } from '../../common/workload/pinned.ts'
import { replicasOf } from '../../common/workload/status.ts'
import { type Checked, type Objection, waiting } from './checks.ts'
import type { Observed } from './observe.ts'
import { type Outcome, verdictOf } from './outcome.ts'
import { type Judgement, judgementOf, objectionTo } from './policy-check.ts'
import { isFewerOf, type Wish, wishOf } from './wish.ts'

type Experiment = Observed['experiment']

/** A write that `apply` is to make. */
export type Action =
  | {
      readonly do: 'apply'
      readonly kind: WorkloadKind
      readonly fork: KubeObject
      /** whether the fork is there and ours; the first apply must not take over what it finds */
      readonly exists: boolean
      /** whether somebody else's change is undone by it: who fights back is met more and more slowly */
      readonly isRepair: boolean
    }
  /** gives the fork fewer pods and leaves all else as it is */
  | { readonly do: 'shrink'; readonly kind: WorkloadKind; readonly fork: KubeObject; readonly replicas: number }
  | { readonly do: 'delete'; readonly kind: WorkloadKind; readonly fork: KubeObject }
  /** keeps what the fork starts from, before the fork is there */
  | { readonly do: 'pin'; readonly experiment: Experiment; readonly name: string; readonly data: Pinned }
  | { readonly do: 'unpin'; readonly revision: KubeObject }
  /** has the resource stay until its fork in another namespace is gone, before that is there */
  | { readonly do: 'hold'; readonly experiment: Experiment }
  | { readonly do: 'release'; readonly experiment: Experiment }
  /** one place of those that a policy limits, unless somebody took one since `asOf` */
  | { readonly do: 'take'; readonly experiment: Experiment; readonly replicas: number; readonly asOf: number }

/** What to write, and what is concluded if that succeeds. */
export interface Plan {
  readonly actions: readonly Action[]
  readonly outcome: Outcome
}

/** What is to be done about `observed`. Pure: the same world gives the same plan. */
export function plan(observed: Observed): Plan {
  const { experiment, now } = observed
  if (isLeaving(experiment)) return depart(observed)
  if (untilExpiryMs(experiment, now) <= 0) return expire(observed)
  const wish = wishOf(observed)
  const judgement = judgementOf(observed, wish.is === 'fork' ? wish : undefined)
  const { actions, outcome } = wish.is === 'fork' ? fulfil(observed, wish, judgement) : keep(observed, wish.objection)
  return { actions, outcome: { ...outcome, judgement } }
}

type Wanted = Extract<Wish, { is: 'fork' }>

function fulfil(observed: Observed, { sound, desired, from }: Wanted, judgement: Judgement): Plan {
  const { fork, now } = observed
  const { source } = from
  const before = [...holding(observed), ...pinning(observed, from, desired.metadata.name)]
  if (fork && isAsLeft(observed, fork, desired)) {
    const health = forkHealth(sound.kind, fork, now)
    const { reason } = health
    const message = reason === 'Updating' ? saidBefore(observed, health.message) : health.message
    return { actions: before, outcome: { ...verdictOf(health), reason, message, fork, source } }
  }
  const objection = objectionTo(desired, fork, judgement)
  const counts = fork && { was: replicasOf(fork), is: replicasOf(desired) }
  if (objection && !(fork && counts && isFewerOf(fork, desired, counts))) return keep(observed, objection)
  return write(sound, { desired, source, before: [...placing(observed, desired), ...before] })
}

interface Writing {
  readonly desired: KubeObject
  readonly source: SourceStatus
  readonly before: readonly Action[]
}

function write(sound: Checked, { desired, source, before }: Writing): Plan {
  const { kind, fork, repairAfterMs } = sound
  const occasion = occasionOf(sound, desired, source)
  const message = `${kind.kind.toLowerCase()}/${desired.metadata.name}: ${occasion.says}`
  const outcome: Outcome = { ...waiting('Updating', message), fork, source }
  if (occasion.isRepair && repairAfterMs > 0)
    return { actions: before, outcome: { ...outcome, is: 'waiting', retryAfterMs: repairAfterMs } }
  const action: Action = {
    do: 'apply',
    kind,
    fork: withUid(desired, fork),
    exists: fork !== undefined,
    isRepair: occasion.isRepair,
  }
  return { actions: [...before, action], outcome }
}

/** The fork first, then the resource: of what was never seen to go nothing is let go. */
function depart({ kind, fork, experiment }: Observed): Plan {
  const { name } = experiment.spec.sourceRef
  const outcome = (message: string): Outcome => ({ ...waiting('Terminating', message), fork, source: undefined })
  if (!kind) return { actions: [], outcome: outcome(`this version cannot say whether the fork of ${name} is gone`) }
  if (!fork) return { actions: [{ do: 'release', experiment }], outcome: outcome('its fork is gone') }
  const actions: readonly Action[] = isLeaving(fork) ? [] : [{ do: 'delete', kind, fork }]
  return { actions, outcome: outcome(`${kind.kind.toLowerCase()}/${fork.metadata.name} is going`) }
}

/** The resource stays and says so; raising its time revives it. */
function expire({ kind, fork, experiment }: Observed): Plan {
  const actions: readonly Action[] = kind && fork ? [{ do: 'delete', kind, fork }] : []
  const message = `over since ${experiment.spec.ttlSeconds} s after its creation; raise spec.ttlSeconds to revive it`
  return { actions, outcome: { is: 'unready', reason: 'Expired', message, fork: undefined, source: undefined } }
}

/** Why it is updating was told when it was applied; that its controller is yet to see it is no news. */
function saidBefore({ experiment }: Observed, message: string): string {
  const ready = experiment.status?.conditions?.find(({ type }) => type === 'Ready')
  const isOfNow = ready?.reason === 'Updating' && ready.observedGeneration === experiment.metadata.generation
  return isOfNow ? ready.message : message
}

/** For these a fork that is there is left as it is, but may become smaller. */
const LEFT_ALONE: ReadonlySet<Reason> = new Set([
  'NamespaceExcluded',
  'SourceNotAllowed',
  'PolicyDenied',
  'PolicyNotRead',
])

function keep(observed: Observed, objection: Objection): Plan {
  const { experiment, kind, fork } = observed
  const { replicas } = withDefaults(experiment.spec)
  const isToShrink = kind && fork && LEFT_ALONE.has(objection.reason) && replicas < replicasOf(fork)
  const shrinking: readonly Action[] = isToShrink ? [{ do: 'shrink', kind, fork, replicas }] : []
  const actions = fork ? [...holding(observed), ...shrinking] : []
  return { actions, outcome: { ...objection, fork, source: undefined } }
}

/** From before there is a fork in another namespace, until it is gone. */
const holding = ({ experiment }: Observed): readonly Action[] =>
  isApart(experiment) && !isHeld(experiment) ? [{ do: 'hold', experiment }] : []

/** What is made or grows takes a place, where others count. */
function placing({ experiment, policing, fork }: Observed, desired: KubeObject): readonly Action[] {
  const replicas = replicasOf(desired)
  const isToGrow = !fork || replicas > replicasOf(fork)
  const among = limitedBy(policing?.policies ?? [])
  if (!policing || !isToGrow || !(among.source || among.namespace)) return []
  return [{ do: 'take', experiment, replicas, asOf: policing.rivals.asOf }]
}

/** The pinned base is written before the fork, and goes when the experiment is to follow. */
function pinning(observed: Observed, data: Pinned, name: string): readonly Action[] {
  const { experiment, pinned } = observed
  if (isPinned(experiment)) return pinned ? [] : [{ do: 'pin', experiment, name, data }]
  return pinned ? [{ do: 'unpin', revision: pinned }] : []
}

/** Whether nobody, we included, has anything left to change: see "How objects are written" of the design. */
function isAsLeft({ experiment }: Observed, fork: KubeObject, desired: KubeObject): boolean {
  const left = experiment.status?.experimentResourceRef
  return (
    left?.uid === fork.metadata.uid &&
    left?.generation === fork.metadata.generation &&
    includes(fork.metadata.annotations, desired.metadata.annotations) &&
    includes(fork.metadata.labels, desired.metadata.labels)
  )
}

type StringMap = Readonly<Record<string, string>> | undefined

const includes = (present: StringMap, ours: StringMap): boolean =>
  Object.entries(ours ?? {}).every(([key, value]) => present?.[key] === value)

/** Why there is something to apply. */
function occasionOf({ experiment, fork }: Observed, desired: KubeObject, source: SourceStatus) {
  if (!fork) return { says: 'created', isRepair: false }
  if (fork.metadata.annotations?.[DERIVED_HASH] === desired.metadata.annotations?.[DERIVED_HASH]) {
    // without it we died between apply and status, and merely look again
    const isKnown = experiment.status?.experimentResourceRef?.uid === fork.metadata.uid
    return { says: 'restored; something else had changed it', isRepair: isKnown }
  }
  const isSameBase = experiment.status?.source?.templateHash === source.templateHash
  const says = isSameBase
    ? 'updated to the spec of the experiment'
    : `follows generation ${source.generation} of its source`
  return { says, isRepair: false }
}

/** With the uid in the body the API server refuses to re-create what went meanwhile. */
const withUid = (desired: KubeObject, fork: KubeObject | undefined): KubeObject =>
  fork?.metadata.uid === undefined ? desired : { ...desired, metadata: { ...desired.metadata, uid: fork.metadata.uid } }
