import { sourceNamespaceOf } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import { REVIEWED_TEMPLATE } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { ExperimentDeployment, FieldError, SourceStatus } from '../api/types.ts'
import { stalled, waiting } from '../facts/decision.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { lazy } from '../facts/lazy.ts'
import { type Base, baseHash, baseOf } from '../fork/base.ts'
import { decodeBase, isPinned, pinnedSource } from '../fork/pinned.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { lastPassOf } from '../situation/last-pass.ts'
import { annotateCommand } from '../text/kubectl.ts'
import { shortName } from '../text/short-name.ts'
import { forkName, isFork } from '../workload/identity.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { referentName } from '../workload/referent.ts'
import { type Blocked, blockedBy, blockedByMistakes } from './checks.ts'

/** What a fork is derived from. The status contains a hash of the base, so it is computed when it is first needed. */
export interface DerivationBase {
  readonly base: Base
  readonly source: () => SourceStatus
}

/** The base, or why it is not known. */
export type ResolvedBase = ({ readonly is: 'base' } & DerivationBase) | ({ readonly is: 'blocked' } & Blocked)

/**
 * ReplicaSets and PodTemplates are not watched, so the pass is repeated while the template is missing: soon at first,
 * since it may be about to be created, and then less and less often.
 */
const TEMPLATE_RETRY_MS = { first: 5_000, longest: 60_000 }

/** The base from which a pinned experiment started, or the present state of the source. */
export function resolveBase(facts: SpecFacts, kind: WorkloadKind): ResolvedBase {
  const { revision, experiment } = facts
  if (isPinned(experiment) && revision.is === 'unknown')
    return blocked(waiting('SourceUnread', `${baseInWords(experiment)} could not be read now (${revision.because})`))
  const source = pinnedSource(experiment)
  if (!source) return presentBase(facts, kind)
  const base = revision.is === 'known' ? decodeBase(revision.value, source) : undefined
  return base
    ? { is: 'base', base, source: () => pinnedStatus(facts, kind, source) }
    : blocked(stalled('PinnedBaseLost', BASE_LOST))
}

/** The ControllerRevision that keeps the base of a pinned experiment, in words. */
const baseInWords = ({ metadata, spec }: ExperimentDeployment): string =>
  `the pinned base, controllerrevision/${forkName(spec.sourceRef.name, metadata.uid)},`

const BASE_LOST =
  'the ControllerRevision that keeps the base of this experiment was deleted or replaced, so the fork stays as it is; ' +
  'to start from the present source, set spec.onSourceChange to Follow and, when the fork has followed, to Pin'

const blocked = (decision: Blocked['decision']): ResolvedBase => ({ is: 'blocked', ...blockedBy(decision) })

/** A mistake at the reference to the source. A field of the source has no path in the user's document. */
function mistakes(reason: Reason, messages: readonly string[]): Blocked {
  const at = { field: 'spec.sourceRef.name', cause: 'FieldValueInvalid' } as const
  return blockedByMistakes(
    reason,
    messages.map((message) => ({ ...at, message })),
  )
}

/** The source has fields of which no fork can be applied. */
export function unforkable({ spec }: ExperimentDeployment, errors: readonly FieldError[]): Blocked {
  const name = shortName(spec.sourceRef)
  const messages = errors.map(({ field, message }) => `${name} cannot be forked: ${field}: ${message}`)
  return mistakes('SourceNotForkable', messages)
}

function presentBase(facts: SpecFacts, kind: WorkloadKind): ResolvedBase {
  const { experiment, source } = facts
  const name = shortName(experiment.spec.sourceRef)
  if (source.is === 'unknown')
    return blocked(waiting('SourceUnread', `${name} could not be read now (${source.because})`))
  if (source.is === 'absent' || source.value.object.metadata.deletionTimestamp) return missing(facts, name)
  if (isFork(source.value.object))
    return {
      is: 'blocked',
      ...mistakes('SourceIsExperiment', [`${name} is itself the fork of an experiment; name its source`]),
    }
  const referent = referentName(kind, source.value.object)
  if (referent && referent !== experiment.metadata.annotations?.[REVIEWED_TEMPLATE])
    return blocked(stalled('TemplateNotReviewed', notReviewed(experiment, name, referent)))
  const { shape = NO_SHAPE, template } = knownValue(facts.schema) ?? {}
  const { object, referents } = source.value
  const based = baseOf(kind, { source: object, referents, shape, template })
  switch (based.is) {
    case 'missing':
      return blocked(waiting('SourceTemplateNotFound', based.message, templateRetryMs(facts)))
    case 'refused':
      return { is: 'blocked', ...unforkable(experiment, based.errors) }
    case 'base':
      return {
        is: 'base',
        base: based.base,
        source: lazy(() => sourceStatus(experiment, kind, { object, base: based.base })),
      }
  }
}

/**
 * As long as the template has been missing according to the stored status, so that this time doubles with each pass.
 */
function templateRetryMs({ experiment, now }: SpecFacts): number {
  const { first, longest } = TEMPLATE_RETRY_MS
  const since = lastPassOf(experiment.status).lacksTemplateSince
  if (since === undefined) return first
  const missingMs = now.getTime() - Date.parse(since)
  return Math.min(longest, Math.max(first, missingMs || 0))
}

/** Otherwise an experiment that is older than its source would read a template that its author may not read. */
const notReviewed = ({ metadata }: ExperimentDeployment, source: string, referent: string): string =>
  `${source} takes its template from ${referent.toLowerCase()}, and it was not checked whether you may read that; ` +
  `to have it checked, run: ${annotateCommand(metadata, REVIEWED_TEMPLATE, referent)}`

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
  const templateHash = baseHash(base)
  const isSame = before.uid === uid && before.base === base.template && before.templateHash === templateHash
  const now = {
    uid,
    generation: object.metadata.generation ?? 0,
    templateHash,
    ...(base.template === undefined ? {} : { base: base.template }),
  }
  const status = withRevision(isSame ? before : now, kind.revision(object))
  return isPinned(experiment) ? { ...status, pinned: true } : status
}

/**
 * The stored status of a pinned base. The workload controller sets the revision after the generation, so it may be
 * newer than when the base was pinned. That of a Rollout is the stable one, which moves on without a new generation.
 */
function pinnedStatus({ source }: SpecFacts, kind: WorkloadKind, stored: SourceStatus): SourceStatus {
  const object = source.is === 'known' ? source.value.object : undefined
  const isSame = object?.metadata.uid === stored.uid && object.metadata.generation === stored.generation
  return object && isSame && stored.base === undefined ? withRevision(stored, kind.revision(object)) : stored
}

interface Derived {
  readonly kind: WorkloadKind
  readonly base: DerivationBase
}

/** Whether the source is gone, or has another base now than the one that a fork is derived from. */
export function hasNewBase(facts: SpecFacts, { kind, base }: Derived): boolean {
  const source = knownValue(facts.source)
  const { shape = NO_SHAPE, template } = knownValue(facts.schema) ?? {}
  const now = source && baseOf(kind, { source: source.object, referents: source.referents, shape, template })
  return now?.is !== 'base' || baseHash(now.base) !== base.source().templateHash
}

const withRevision = ({ revision: _before, ...status }: SourceStatus, revision: string | undefined): SourceStatus =>
  revision === undefined ? status : { ...status, revision }
