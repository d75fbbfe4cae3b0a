import type { KubeErrorKind } from '../api/failure.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject, ResourceType } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { FieldError } from '../api/types.ts'
import type { DecisionState } from '../facts/decision.ts'
import { at, type JsonObject } from '../json/json.ts'

/** Which object a write changes. */
export type Role =
  | 'newFork' // a fork that does not exist yet, so the write must not take over an existing object
  | 'fork'
  | 'newTwin' // the twin that an analysis compares the fork with, before it exists
  | 'twin'
  | 'base' // the ControllerRevision of a pinned base
  | 'record' // the ControllerRevision with the former values of a promoted source
  | 'experiment'
  | 'source' // only by a promotion
  | 'sourceSize' // the size of the source, and our label and annotation there
  | 'pod' // the gate of a pod of a gated fork
  | 'analysisRun' // the ExperimentAnalysisRun of an analysis
  | 'service' // only our key of the selector, and publishNotReadyAddresses of a preview

/** The watched object that a write of each role changes, if any. */
export const WRITTEN_OBJECT = {
  newFork: 'fork',
  fork: 'fork',
  newTwin: 'fork',
  twin: 'fork',
  base: 'unwatched',
  record: 'unwatched',
  experiment: 'experiment',
  source: 'unwatched',
  sourceSize: 'unwatched',
  pod: 'pod',
  analysisRun: 'analysisRun',
  service: 'unwatched',
} as const

/** Why the API server may refuse a fork. Only the API server knows whether its version does. */
export interface Doubt {
  /** the same as long as source, override and schema are the same */
  readonly of: string
  /** what our copy of its rules says */
  readonly mistakes: readonly FieldError[]
}

/** One write of a plan. A write of an existing object carries the uid of that object. */
export type Write = { readonly resource: ResourceType } & (
  | {
      readonly verb: 'apply'
      readonly role: 'newFork' | 'fork' | 'newTwin' | 'twin'
      readonly object: KubeObject
      /** whether it undoes the change of another client, which may make it again */
      readonly isRepair: boolean
      /** whether the fork already had the same derivation */
      readonly isSameDerivation: boolean
      /** absent: our rules find nothing wrong with it */
      readonly doubt?: Doubt | undefined
    }
  /** the status of a pod: `object` has only the condition of its gate */
  | {
      readonly verb: 'apply'
      readonly role: 'pod'
      readonly object: KubeObject
    }
  | { readonly verb: 'create'; readonly role: 'base' | 'record' | 'analysisRun'; readonly object: KubeObject }
  | {
      readonly verb: 'patch'
      readonly role: 'fork' | 'twin' | 'experiment' | 'source' | 'service' | 'analysisRun'
      readonly of: KubeObject
      /** RFC 7386 */
      readonly patch: JsonObject
      /** default: the object itself */
      readonly subresource?: 'status'
      /** as of an apply; default: false */
      readonly isRepair?: boolean
    }
  | {
      readonly verb: 'jsonPatch'
      readonly role: 'sourceSize'
      readonly of: KubeObject
      /** RFC 6902: tests what was seen, so a change since then is a `conflict` */
      readonly operations: readonly JsonObject[]
      /** whether the source gets smaller; default: no */
      readonly isShrinking?: boolean
    }
  | {
      readonly verb: 'delete'
      readonly role: 'fork' | 'twin' | 'base' | 'record' | 'analysisRun'
      readonly of: KubeObject
    }
)

/**
 * What follows from a refused write: a decision, or `lookAgain` if only a new pass can decide, because facts are
 * outdated or no answer came.
 */
type FailureOutcome = 'lookAgain' | (DecisionState & { readonly reason: Reason })

const REFUSED = { is: 'stalled', reason: 'ApplyRefused' } as const
/** An object of that name was created since the read. The next pass reads it, unless the cache does not get it. */
const NAME_TAKEN = { is: 'failed', reason: 'NameConflict' } as const

/** What a refused write of an existing object means. The compiler requires an entry for each new kind of failure. */
const EXISTING: Readonly<Record<KubeErrorKind, FailureOutcome>> = {
  notFound: 'lookAgain',
  kindAbsent: 'lookAgain',
  conflict: 'lookAgain',
  alreadyExists: 'lookAgain',
  gone: 'lookAgain',
  forbidden: REFUSED,
  terminating: { is: 'unready', reason: 'ApplyRefused' }, // the experiment and its fork end with the namespace
  invalid: REFUSED,
  unread: REFUSED, // its message names the object
  throttled: 'lookAgain',
  server: { is: 'failed', reason: 'ApplyFailed' }, // usually another admission webhook failed
  timeout: { is: 'failed', reason: 'ApplyFailed' }, // usually another admission webhook is slow
  unreachable: 'lookAgain',
}
/** A pod with another uid is `invalid`: it is not the one that was seen. */
const POD = { ...EXISTING, invalid: 'lookAgain' } as const
/** Its name has a hash of the question, so an object of that name is the run that was not seen yet. */
const OF_ANALYSIS_RUN = { ...EXISTING, invalid: 'lookAgain' } as const
const NEW = { ...EXISTING, alreadyExists: NAME_TAKEN }

/** What a refused write means, by its role and its failure. */
export const FAILURE_OUTCOMES: Readonly<Record<Role, Readonly<Record<KubeErrorKind, FailureOutcome>>>> = {
  newFork: NEW,
  fork: EXISTING,
  newTwin: NEW,
  twin: EXISTING,
  base: NEW,
  record: NEW,
  experiment: EXISTING,
  source: EXISTING,
  sourceSize: EXISTING,
  pod: POD,
  analysisRun: OF_ANALYSIS_RUN,
  service: EXISTING,
}

/** What is known of a refused write. */
interface Refusal {
  readonly kind: KubeErrorKind
  readonly message: string
  readonly conflictOver?: 'fields' | 'object'
}

/**
 * What a refusal of a write means. Only the `message` of the API server says that an immutable field was changed. A
 * conflict over fields shows that there is an object; any other one may be that of a quota, which was just changed.
 */
export function outcomeOf({ role }: Write, { kind, message, conflictOver }: Refusal): FailureOutcome {
  const refusal = FAILURE_OUTCOMES[role][conflictOver === 'fields' ? 'alreadyExists' : kind]
  const isImmutable = kind === 'invalid' && /field is immutable|updates to \w+ spec for fields other than/.test(message)
  return isImmutable && refusal !== 'lookAgain' ? { ...refusal, reason: 'ImmutableFieldChanged' } : refusal
}

/** Whether a write makes or changes the twin. */
export const isOfTwin = ({ role }: Pick<Write, 'role'>): boolean => role === 'twin' || role === 'newTwin'

/**
 * Whether a write changes the source, or sends all requests of a Service to the fork. Somebody may have given the
 * command `abort` since the cache of experiments was read, which may be minutes old, so the API server is asked first.
 * A Service is returned without that.
 */
export const needsFreshExperiment = (write: Write): boolean =>
  write.role === 'source' ||
  (write.role === 'sourceSize' && write.isShrinking === true) ||
  (write.role === 'service' && typeof at(write, 'patch', 'spec', 'selector', EXPERIMENT_ID) === 'string')
