import type { Amount } from './amount.ts'

/** The longest pause: a year. */
export const MAX_PAUSE_SECONDS = 31_536_000
/** A number of seconds as text, or numbers with units: `90`, `1h30m`. */
export const PAUSE_PATTERN = '^([0-9]{1,8}|([0-9]{1,8}[smhd]){1,4})$'
/** What a pause is, for people. */
export const PAUSE_WORDS = 'a time of whole seconds, such as 90, 30s, 10m or 1h30m, at most a year'

/** One step of a canary, as users write it: exactly one member. */
export interface CanaryStep {
  /** 0 to 100: percent of the pods of source and fork */
  readonly setWeight?: number
  readonly pause?: {
    /** seconds, or a text such as `1h30m`; absent: until a user resumes the run */
    readonly duration?: Amount
  }
  /** waits for the verdict of `spec.analysis`; it has no members */
  readonly analysis?: Readonly<Record<string, never>>
}

/** How long pods stay after they have stopped serving. */
interface Delays {
  /** blueGreen: how long the run waits after the cut-over; the fork is kept so long after its promotion; default 30 */
  readonly scaleDownDelaySeconds?: number
  /** gated: how long an aborted fork keeps its pods, shut, for inspection; 0: until it is deleted; default 30 */
  readonly abortScaleDownDelaySeconds?: number
  /** whether the run is aborted when the fork exceeds its progress deadline; default false */
  readonly progressDeadlineAbort?: boolean
}

/** As users write it: what has a default may be absent. */
export interface CanaryStrategy extends Delays {
  readonly steps?: readonly CanaryStep[]
  /** the most pods of the fork: a number, or percent of the pods of the source, rounded up; default 100% */
  readonly maxSurge?: Amount
  /** how many of the pods of the source a promotion may cost: a number, or percent, rounded down; default 0 */
  readonly maxUnavailable?: Amount
  /**
   * whether the source gets smaller as the fork grows, so that both have about as many pods as the source had. Then
   * `maxSurge` and `maxUnavailable` count the pods of both, and `maxSurge` is 25% by default; default false
   */
  readonly scaleDownSource?: boolean
}

/** As users write it: what has a default may be absent. */
export interface BlueGreenStrategy extends Delays {
  /** the Service whose requests go to the fork after the cut-over */
  readonly activeService: string
  /** another Service, whose requests go to the fork before the cut-over */
  readonly previewService?: string
  /** the pods of the fork before the cut-over; default: as many as the source has, a tenth beside an HPA on CPU */
  readonly previewReplicaCount?: number
  /** whether the cut-over needs no command; default: whether there is no previewService */
  readonly autoPromotionEnabled?: boolean
  /** how long such a cut-over waits when the fork is ready; default 0 */
  readonly autoPromotionSeconds?: number
  /** how many pods of the fork may not be ready after the cut-over: a number, or percent, rounded down; default 0 */
  readonly maxUnavailable?: Amount
}

/** Exactly one of the two. */
export type Strategy =
  | { readonly canary: CanaryStrategy; readonly blueGreen?: never }
  | { readonly blueGreen: BlueGreenStrategy; readonly canary?: never }

/** Shared: every ready pod of the fork gets requests. Gated: only those that a weight opens. */
export const TRAFFIC_MODES = ['Shared', 'Gated'] as const
type TrafficMode = (typeof TRAFFIC_MODES)[number]

/** As users write it: which pods of the fork get requests. */
export interface TrafficSpec {
  /** default Shared */
  readonly mode?: TrafficMode
}

/** What promotes: a command of a person, the end of the steps, or a change of the manifest of the source. */
export const PROMOTION_MODES = ['Manual', 'Automatic', 'Export'] as const
export type PromotionMode = (typeof PROMOTION_MODES)[number]

/** As users write it: what happens after the steps. */
export interface PromotionSpec {
  /** default Manual */
  readonly mode?: PromotionMode
  /** whether it is written although a tool declares the source; default false */
  readonly force?: boolean
  /** whether a Rollout skips its own steps when it is promoted; default false */
  readonly skipSteps?: boolean
  /** promotes once the run has this whole revision */
  readonly approvedRevision?: string
}

/** The directions of a run: through its steps, back to no pods, or back to the former values of the source. */
export const RUN_PATHS = ['Forward', 'Abort', 'Undo'] as const
export type RunPath = (typeof RUN_PATHS)[number]

/** What a run does at its present step. */
export const RUN_PHASES = ['Progressing', 'Paused', 'Promoted', 'Aborting', 'Aborted', 'Undoing', 'Undone'] as const
export type RunPhase = (typeof RUN_PHASES)[number]

/**
 * What a run remembers between two passes: `status.strategy`. Beside each short hash is the whole one; absent: an
 * earlier version wrote the status.
 */
export interface StrategyRunStatus {
  /** a hash of everything in `spec` that makes it another run */
  readonly run: string
  readonly wholeRun?: string
  /** a hash of the derived pod template and of the run */
  readonly revision: string
  readonly wholeRevision?: string
  /** in the mode Manual: the whole revision that was approved; absent: none was */
  readonly approvedRevision?: string
  readonly path: RunPath
  readonly phase: RunPhase
  /** in the list of all steps, those of the user first */
  readonly stepIndex: number
  /** `setWeight 20%`, `pause 1h` */
  readonly stepName: string
  /** RFC 3339 with milliseconds: when the step began */
  readonly since: string
  /** how many runs of the experiment came before; absent: none */
  readonly attempt?: number
  /** whether a user paused it by a command */
  readonly held?: boolean
  /** why it was aborted, if no command did it: in the words of what happened */
  readonly cause?: string
  /** what its promotion may be written over; absent: an earlier version stored the run, or the source is not known */
  readonly seen?: SeenSource
  /** the size of the source, which the run has changed; absent: it has not */
  readonly scaled?: ScaledSource
  /** the last command and what came of it */
  readonly command?: CommandStatus
  /** `2/5 Paused`: steps that are done, all steps, and the phase */
  readonly step: string
  /** in whole percent; absent where no weight decides */
  readonly weight?: RunWeight
}

/**
 * What the source had in the fields that a promotion changes when the run began, or when somebody gave `promote`. What
 * it has is not written over if that is newer.
 */
export interface SeenSource {
  /** a whole hash of all these values, some of which may be secret */
  readonly values: string
  /** some of them by their fields: those that a plan shows, too */
  readonly shown?: Readonly<Record<string, string>>
  /** the whole revision with which the run came to the step that promotes */
  readonly revision?: string
}

/** What a pass remembers of a source before it changes its size, beside the label on the source. */
export interface ScaledSource {
  /** of the source */
  readonly uid: string
  /** the pods that the source has without the run */
  readonly size: number
  /** the `spec.replicas` that is written next, or was written last */
  readonly written: number
  /** what it had before that write */
  readonly replaced?: { readonly size: number; readonly written: number }
  /** whether the source gets all of its pods back before the run goes on: it began again */
  readonly isReturning?: boolean
  /** the `spec.replicas` that somebody else has changed, so that the run is held; absent: nobody did */
  readonly changedFrom?: number
}

/** How a command was answered. Stale: its author saw another step. */
export const COMMAND_ANSWERS = ['Done', 'Stale', 'Refused'] as const
/** One of `COMMAND_ANSWERS`. */
export type CommandAnswer = (typeof COMMAND_ANSWERS)[number]

/** A command that was answered. */
export interface CommandStatus {
  readonly verb: string
  /** RFC 3339; absent for a command that the webhook did not see */
  readonly at?: string
  /** the user; absent for a command that the webhook did not see */
  readonly by?: string
  readonly answer: CommandAnswer
  readonly message: string
}

/** A version of a source: as the API server stored it, or as it had the change. */
export interface StoredSource {
  readonly uid: string
  readonly generation: number
  /** of its `spec` without replicas; absent where an earlier version wrote the status, or it is not known */
  readonly hash?: string
}

/** What a promotion remembers between two passes: `status.promotion`. */
export interface PromotionStatus {
  /** Export also where the controller may not write the source */
  readonly mode: PromotionMode
  /** the tool that declares the source, or why it is not written */
  readonly declaredBy?: string
  /**
   * the ControllerRevision with the former values of the source, and a hash of it: many users may replace it.
   * `wholeHash` is absent where an earlier version wrote the status
   */
  readonly record?: { readonly name: string; readonly hash: string; readonly wholeHash?: string }
  /** the source after the promotion */
  readonly written?: StoredSource
  /** the source after the write of an undo */
  readonly restored?: StoredSource
  /** RFC 6902: what to change in the manifest of the source */
  readonly patch?: string
}

/** The part of the requests that the fork should get, and the part that it gets. */
export interface RunWeight {
  readonly desired: number
  /** of the ready endpoints of the first Service that selects the fork; absent without one */
  readonly actual?: number
}
