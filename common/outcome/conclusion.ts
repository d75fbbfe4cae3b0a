import type { AnalysisStatus } from '../api/analysis/analysis.ts'
import { warning } from '../api/conditions.ts'
import { allowedReplicas, sourceNamespaceOf, withDefaults } from '../api/defaults.ts'
import { REQUESTED_BY } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { PromotionStatus, RunPath, RunWeight, ScaledSource } from '../api/strategy.ts'
import type { ExperimentDeployment, SourceStatus, Warning } from '../api/types.ts'
import type { AnalysisArms } from '../assess/analysis.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import { approverOf } from '../policy/approval.ts'
import type { RunState } from '../situation/situation.ts'
import type { CommandVerb } from '../strategy/command-text.ts'
import type { RunMove } from '../strategy/next.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import type { Health } from '../workload/kind.ts'
import type { Write } from '../writes/write.ts'
import type { AloneFork } from './alone.ts'
import type { PolicyDecision } from './policy-decision.ts'

/** What a run did to a source or a Service, for an Event about that object. */
export interface WrittenObject {
  readonly object: KubeObject
  readonly reason: Reason
  readonly message: string
}

/**
 * Who caused a write for a run: who approved the revision or gave the last command, if the run obeyed it, or else who
 * last changed the spec.
 */
export function authorOf(experiment: ExperimentDeployment): string {
  const { command } = experiment.status?.strategy ?? {}
  const commander = command?.answer === 'Done' ? command.by : undefined
  return approverOf(experiment) ?? commander ?? experiment.metadata.annotations?.[REQUESTED_BY] ?? ''
}

/** The command after which the Services of a blue-green are returned, on each path. */
const RETURN_COMMANDS: Readonly<Record<RunPath, CommandVerb>> = { Forward: 'promote', Abort: 'abort', Undo: 'undo' }

/** Who caused that a run returns its Services; empty where the controller does it by itself. */
export function returnerOf(experiment: ExperimentDeployment, { run, steps }: RunState): string {
  const { path, stepIndex, command } = run
  if (steps[stepIndex]?.is !== 'return') return ''
  const approver = path === 'Forward' ? approverOf(experiment) : undefined
  const isObeyed = command?.answer === 'Done' && command.verb === RETURN_COMMANDS[path]
  return approver ?? (isObeyed ? command.by : undefined) ?? ''
}

interface WrittenInput extends Omit<WrittenObject, 'message'> {
  readonly what: string
  /** who caused it, empty if nobody did; default: the author */
  readonly by?: string
}

/** An Event about `object`. `what` is the part of its message between the object and the experiment. */
export function writtenBy(experiment: ExperimentDeployment, written: WrittenInput): WrittenObject {
  const { object, reason, what, by = authorOf(experiment) } = written
  const { name, namespace } = experiment.metadata
  return { object, reason, message: `${what} expd/${name} in ${namespace}${by === '' ? '' : `, requested by ${by}`}` }
}

/** What an analysis says after a pass. */
export interface AnalysisReport extends AnalysisStatus {
  /** whether its verdict is final, as long as the analysis asks the same question */
  readonly isFinal: boolean
  /** whether only a pass that finds the fork settled lets it begin or go on, so that such a pass must follow soon */
  readonly waitsForFork: boolean
}

/** The run after a pass. */
export interface RunReport extends RunState {
  readonly weight?: RunWeight
  /** what it waits for at a step that writes the source */
  readonly paused?: { readonly reason: Reason; readonly message: string }
  readonly promotion?: PromotionStatus
  /** at a step that needs a verdict: what the analysis says, and whether it will never pass */
  readonly analysis?: { readonly isInconclusive: boolean; readonly message: string }
  /** milliseconds until a pause is over, or until its Services are looked at again */
  readonly restMs?: number
  /** why the pass moved the run, and by which command, if it did */
  readonly moved?: Pick<RunMove, 'reason' | 'message' | 'by'>
  /** whether the pass only adds whole hashes to what an earlier version stored; the next pass decides by them */
  readonly addsHashes?: boolean
  /** at the step that promotes: whether the source has the change */
  readonly hasChange?: boolean
  /** a write of the source or of a Service that is seen for the first time */
  readonly written?: WrittenObject
  /** whether this pass writes something for the run, so that only the next pass can tell whether the step is done */
  readonly acts?: boolean
}

/** A fork or twin that nobody wants any more, and that is still there. */
export interface LeavingObject {
  readonly uid: string
  /** milliseconds until it is looked at again */
  readonly recheckMs: number
  /** what is told if a finalizer of others keeps it */
  readonly held?: string
}

/** The result of a pass. Conditions, Events, the log line and the requeue follow from it. */
export type Conclusion = Decision & {
  /** the fork after the pass; undefined if there is none */
  readonly fork: KubeObject | undefined
  /** the twin after the pass; absent: there is none */
  readonly twin?: KubeObject
  /** what the fork is derived from, if this pass derived it */
  readonly source: (() => SourceStatus) | undefined
  /** milliseconds until the fork may be repaired again, because another client keeps changing or deleting it */
  readonly repairInMs?: number
  /** the change of another client that this pass undid, if the fork is as ready as before */
  readonly repaired?: string
  /** the fields that the override changes in the fork, as one text, if this pass derived it */
  readonly changes?: () => string
  /** the run of its strategy, if it has one and the fork could be derived */
  readonly run?: RunReport
  /** what its analysis says, if it has one */
  readonly analysis?: AnalysisReport
  /** what the status remembers of a source whose size the run changes; absent: nothing */
  readonly scaled?: ScaledSource
  /** milliseconds until both sizes are looked at again; absent: they are as the run wants them */
  readonly recheckMs?: number
  /** its fork and twin, if they are on their way out */
  readonly leaving?: readonly LeavingObject[]
  /** the Services in which its fork is alone, if any */
  readonly alone?: AloneFork
  /** absent when policies no longer matter: the experiment has expired, was promoted or is being deleted */
  readonly policy?: PolicyDecision
}

/** The warning that a finalizer of others keeps a fork or twin that leaves. Both the status and Events tell it. */
export const heldWarnings = ({ leaving = [] }: Pick<Conclusion, 'leaving'>): readonly Warning[] =>
  leaving.flatMap(({ held }) => (held === undefined ? [] : [warning('HeldByFinalizer', held)]))

/** A place under a policy's limit. It can be reserved only if no other reservation was made since `asOf`. */
export interface Reservation {
  readonly replicas: number
  readonly asOf: number
}

/** What to write, in this order, and the conclusion if every write succeeds. */
export interface Plan {
  readonly reservation?: Reservation
  readonly writes: readonly Write[]
  readonly conclusion: Conclusion
  /** the health of the fork as it is stored by an apply of this plan; absent: none is applied, or it is not told */
  readonly healthOf?: ((stored: KubeObject) => Health) | undefined
  /**
   * the run, where the API server refuses a write for a reason that a person must mend; absent: it stays as it is, and
   * the write is tried again
   */
  readonly ifRefused?: (because: string) => RunReport | undefined
  /** the Services whose endpoints matter to this plan and to the status; absent: none */
  readonly services?: () => ReadonlySet<string>
  /** the pods that its analysis compares; absent: nothing has to be asked about them */
  readonly arms?: () => AnalysisArms | undefined
}

/** No event says that a quota was raised or a permission was granted, so the pass is repeated after this time. */
export const STALLED_RECHECK_MS = 60_000

/** The decision on an experiment whose fork is as derived: the health of the fork, unless it has too few pods. */
export function decisionOn(experiment: ExperimentDeployment, health: Health): Decision {
  const { reason, message } = health
  switch (health.is) {
    case 'progressing':
      return waiting(reason, message, Math.min(STALLED_RECHECK_MS, health.recheckAfterMs ?? STALLED_RECHECK_MS))
    case 'ready':
      return (
        (strategyRunSpec(experiment.spec) ? undefined : unreviewedScale(experiment)) ?? {
          is: 'settled',
          reason,
          message,
        }
      )
    case 'stalled':
      return { ...stalled(reason, message), ...(health.isOverdue ? { because: 'overdue' } : {}) }
    case 'unready':
      return { is: 'unready', reason, message }
  }
}

/** A person must act where `spec.replicas` is more than the fork may have. */
function unreviewedScale(experiment: ExperimentDeployment): Decision | undefined {
  const [wanted, allowed] = [withDefaults(experiment.spec).replicas, allowedReplicas(experiment)]
  if (wanted <= allowed) return undefined
  const message =
    `the fork keeps ${allowed} of ${wanted} pods: kubectl scale does not check your permissions in namespace ` +
    `"${sourceNamespaceOf(experiment)}"; scale it back to ${allowed}, then set spec.replicas by kubectl patch or apply`
  return stalled('ScaleNotReviewed', message)
}
