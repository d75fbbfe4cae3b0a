import { sourceNamespaceOf } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { ExperimentDeployment, SourceStatus } from '../api/types.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { type Base, baseOf } from '../workload/base.ts'
import { baseHash } from '../workload/derive.ts'
import { isFork } from '../workload/identity.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { decodePinned, isPinned, type Pinned } from '../workload/pinned.ts'
import { type Blocked, blockedBy, mistaken } from './checks.ts'
import { waiting } from './decision.ts'
import type { SpecFacts } from './facts.ts'
import { once } from './once.ts'

/** What a fork is derived from, or why that is not known. */
export type ResolvedBase = ({ readonly is: 'base' } & Pinned) | ({ readonly is: 'blocked' } & Blocked)

/** ReplicaSets and the target of a `workloadRef` are not watched, so the pass is repeated after this time. */
const TEMPLATE_RETRY_MS = 5_000

/** What a pinned experiment started from; undefined for one that follows its source, or has not started yet. */
export const pinnedBase = ({ experiment, revision }: Pick<SpecFacts, 'experiment' | 'revision'>): Pinned | undefined =>
  isPinned(experiment) ? decodePinned(experiment, knownValue(revision)) : undefined

/** The pinned base of a pinned experiment if there is one, else the present state of the source. */
export function resolveBase(facts: SpecFacts, kind: WorkloadKind): ResolvedBase {
  const pinned = pinnedBase(facts)
  if (pinned) return { is: 'base', base: pinned.base, source: { ...pinned.source, pinned: true } }
  const { revision, experiment } = facts
  if (isPinned(experiment) && revision.is === 'unknown')
    return blocked(waiting('SourceUnread', `the pinned base could not be read now (${revision.because})`))
  return presentBase(facts, kind)
}

const blocked = (decision: Blocked['decision']): ResolvedBase => ({ is: 'blocked', ...blockedBy(decision) })

/** A mistake at the reference to the source. A field of the source has no path in the user's document. */
function mistakes(reason: Reason, messages: readonly string[]): ResolvedBase {
  const at = { field: 'spec.sourceRef.name', cause: 'FieldValueInvalid' } as const
  const errors = messages.map((message) => ({ ...at, message }))
  return { is: 'blocked', ...mistaken(reason, errors) }
}

function presentBase(facts: SpecFacts, kind: WorkloadKind): ResolvedBase {
  const { experiment, source } = facts
  const name = `${kind.kind.toLowerCase()}/${experiment.spec.sourceRef.name}`
  if (source.is === 'unknown')
    return blocked(waiting('SourceUnread', `${name} could not be read now (${source.because})`))
  if (source.is === 'absent' || source.value.object.metadata.deletionTimestamp) return missing(facts, name)
  if (isFork(source.value.object))
    return mistakes('SourceIsExperiment', [`${name} is itself the fork of an experiment; name its source`])
  const { shape = NO_SHAPE, template } = knownValue(facts.schema) ?? {}
  const { object, referents } = source.value
  const based = baseOf(kind, { source: object, referents, shape, template })
  switch (based.is) {
    case 'missing':
      return blocked(waiting('SourceTemplateNotFound', based.message, TEMPLATE_RETRY_MS))
    case 'refused': {
      const messages = based.errors.map(({ field, message }) => `${name} cannot be forked: ${field}: ${message}`)
      return mistakes('SourceNotForkable', messages)
    }
    case 'base':
      return { is: 'base', base: based.base, source: sourceStatus(experiment, kind, { object, base: based.base }) }
  }
}

function missing({ experiment, fork, source }: SpecFacts, name: string): ResolvedBase {
  const isDeleted = source.is === 'known'
  const namespace = sourceNamespaceOf(experiment)
  const lack = isDeleted ? `${name} in ${namespace} is being deleted` : `no ${name} in ${namespace}`
  if (fork.is === 'known')
    return blocked({ is: 'unready', reason: 'SourceNotFound', message: `${lack}; the fork stays as it is` })
  const checked = 'the override is checked again when'
  const message = isDeleted ? `${lack}; ${checked} there is another` : `${lack} yet; ${checked} it appears`
  return blocked(waiting('SourceNotFound', message))
}

/** The stored status if uid and base are the same. A generation that only changed `replicas` needs no status write. */
function sourceStatus(
  experiment: ExperimentDeployment,
  kind: WorkloadKind,
  { object, base }: { readonly object: KubeObject; readonly base: Base },
): SourceStatus {
  const { pinned, ...before } = experiment.status?.source ?? { uid: '', generation: 0, templateHash: '' }
  const uid = object.metadata.uid ?? ''
  const templateHash = once(() => baseHash(base)) // the review of a new experiment does not need it
  const isSame = before.uid === uid && before.base === base.template && before.templateHash === templateHash()
  const revision = kind.revision(object)
  const now = {
    uid,
    generation: object.metadata.generation ?? 0,
    ...(revision === undefined ? {} : { revision }),
    get templateHash() {
      return templateHash()
    },
    ...(base.template === undefined ? {} : { base: base.template }),
  }
  const status = isSame ? before : now
  return isPinned(experiment) ? { ...status, pinned: true } : status
}
