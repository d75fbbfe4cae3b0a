/** A number, or a percentage such as `25%`: an `IntOrString` of Kubernetes. */
export type Amount = number | string

/** One step of a canary, as users write it: exactly one member. */
export interface CanaryStep {
  /** 0 to 100: percent of the pods of source and fork */
  readonly setWeight?: number
  readonly pause?: {
    /** seconds, or a text such as `1h30m`; absent: until somebody resumes */
    readonly duration?: Amount
  }
}

/** As users write it: what has a default may be absent. */
export interface CanaryStrategy {
  readonly steps?: readonly CanaryStep[]
  /** the most pods of the fork: a number, or percent of the pods of the source, rounded up; default 100% */
  readonly maxSurge?: Amount
  /** whether the run is aborted when the fork exceeds its progress deadline; default false */
  readonly progressDeadlineAbort?: boolean
}

export interface Strategy {
  readonly canary: CanaryStrategy
}

/** The directions of a run: through its steps, or back to no pods. */
export const RUN_PATHS = ['Forward', 'Abort'] as const
export type RunPath = (typeof RUN_PATHS)[number]

/** What a run does at its present step. */
export const RUN_PHASES = ['Progressing', 'Paused', 'Aborting', 'Aborted'] as const
export type RunPhase = (typeof RUN_PHASES)[number]

/** What a run remembers between two passes: `status.strategy`. */
export interface RunStatus {
  /** a hash of everything in `spec` that makes it another run */
  readonly run: string
  /** a hash of the derived pod template */
  readonly revision: string
  readonly path: RunPath
  readonly phase: RunPhase
  /** in the list of all steps, those of the user first */
  readonly stepIndex: number
  /** `setWeight 20%`, `pause 1h` */
  readonly stepName: string
  /** RFC 3339 with milliseconds: when the step began */
  readonly since: string
  /** whether somebody paused it by a command */
  readonly held?: boolean
  /** the last command and what came of it */
  readonly command?: CommandStatus
  /** `2/5 Paused`: steps that are done, all steps, and the phase */
  readonly step: string
  /** in whole percent; absent where no weight decides */
  readonly weight?: RunWeight
}

export const COMMAND_ANSWERS = ['Done', 'Stale', 'Refused'] as const
/** Stale: its author saw another step. */
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

export interface RunWeight {
  readonly desired: number
  /** of the ready endpoints of the first Service that selects the fork; absent without one */
  readonly actual?: number
}
