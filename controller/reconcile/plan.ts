import { hashOf } from '../../common/api/canonical.ts'
import { untilExpiryMs } from '../../common/api/expiry.ts'
import { DERIVED_HASH } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { SourceStatus } from '../../common/api/types.ts'
import { derive } from '../../common/workload/desired.ts'
import { forkHealth } from '../../common/workload/health.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { isPinned, type Pinned } from '../../common/workload/pinned.ts'
import { type Checked, checked, type Objection, stalled, tell, waiting } from './checks.ts'
import type { Observed } from './observe.ts'
import { type Outcome, verdictOf } from './outcome.ts'
import { resolveBase } from './starting-base.ts'

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
  | { readonly do: 'delete'; readonly kind: WorkloadKind; readonly fork: KubeObject }
  /** keeps what the fork starts from, before the fork is there */
  | { readonly do: 'pin'; readonly experiment: Observed['experiment']; readonly name: string; readonly data: Pinned }
  | { readonly do: 'unpin'; readonly revision: KubeObject }

/** What to write, and what is concluded if that succeeds. */
export interface Plan {
  readonly actions: readonly Action[]
  readonly outcome: Outcome
}

/** What is to be done about `observed`. Pure: the same world gives the same plan. */
export function plan(observed: Observed): Plan {
  const { experiment, fork, now } = observed
  if (untilExpiryMs(experiment, now) <= 0) return expire(observed)
  const sound = checked(observed)
  if (sound.is === 'objection') return keep(observed, sound.objection)
  const resolved = resolveBase(sound)
  if (resolved.is === 'objection') return keep(observed, resolved.objection)

  const { base, source } = resolved
  const derived = derive({ kind: sound.kind, experiment, base, schema: sound.schema })
  if (derived.is === 'refused') return keep(observed, stalled(derived.reason, tell(derived.errors)))
  const desired = withHash(derived.fork)
  const before = pinning(observed, { base, source }, desired.metadata.name)
  if (fork && isAsLeft(observed, fork, desired)) {
    const health = forkHealth(sound.kind, fork, now)
    const { reason } = health
    const message = reason === 'Updating' ? saidBefore(observed, health.message) : health.message
    return { actions: before, outcome: { ...verdictOf(health), reason, message, fork, source } }
  }
  return write(sound, { desired, source, before })
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

const keep = ({ fork }: Observed, objection: Objection): Plan => ({
  actions: [],
  outcome: { ...objection, fork, source: undefined },
})

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

function withHash(fork: KubeObject): KubeObject {
  const annotations = { ...fork.metadata.annotations, [DERIVED_HASH]: hashOf(fork, 16) }
  return { ...fork, metadata: { ...fork.metadata, annotations } }
}

/** With the uid in the body the API server refuses to re-create what went meanwhile. */
const withUid = (desired: KubeObject, fork: KubeObject | undefined): KubeObject =>
  fork?.metadata.uid === undefined ? desired : { ...desired, metadata: { ...desired.metadata, uid: fork.metadata.uid } }
