import type { KubeObject } from '../api/object.ts'
import type { RunPath, ScaledSource } from '../api/strategy.ts'
import type { Components, Facts, SpecFacts } from '../facts/facts.ts'
import type { Sides } from '../scaling/move.ts'
import type { SizeRecord } from '../scaling/record.ts'
import type { SizeBounds, SizePair } from '../scaling/sizes.ts'
import type { RunStep } from '../strategy/compile.ts'
import type { Promotion } from '../strategy/promotion.ts'
import type { Run } from '../strategy/run.ts'
import type { StrategyRunSpec } from '../strategy/run-spec.ts'
import type { TakenBack } from '../strategy/take-back.ts'
import type { PodTarget } from '../strategy/target.ts'
import type { ReadyEndpoints } from '../surroundings/endpoints.ts'
import type { RunHashes } from './run-hash.ts'

/** A run at its present step. */
export interface RunState {
  readonly spec: StrategyRunSpec
  readonly run: Run
  /** all steps on the path of the run */
  readonly steps: readonly RunStep[]
  /** undefined while the size of the source is not known: then the fork keeps its pods */
  readonly target: PodTarget | undefined
  /** absent for a run that does not change the size of its source, and in a review */
  readonly sizing?: Sizing
}

/** A Service of a blue-green, and what its slices show. */
export interface ServiceState {
  readonly name: string
  /** undefined while there is none, or if it could not be read */
  readonly service: KubeObject | undefined
  /** why it could not be read; absent: it was, or there is none */
  readonly unread?: string
  /** the experiment to whose fork it is limited */
  readonly pinnedTo: string | undefined
  readonly isOurs: boolean
  readonly endpoints: ReadyEndpoints
  /** as `listedMs` of the facts */
  readonly listedMs: number
}

/** What a blue-green finds of its Services; undefined for another strategy, and where they were not read. */
export interface PinState {
  readonly active: ServiceState
  readonly preview: ServiceState | undefined
  /** whether the active Service sends to all available pods of the source, and these are enough, or is gone */
  readonly isBack: boolean
  /** whether the fork does not exist, or is being deleted */
  readonly isForkGone: boolean
  /** whether requests to the active Service reach nobody, or will soon, although the source could answer */
  readonly isDead: boolean
}

/** What of the size that a canary gives its source is on the source. */
export type OnSource =
  | { readonly is: 'none' }
  /** our label, and the number that we wrote with it */
  | { readonly is: 'ours'; readonly record: SizeRecord }
  /** somebody else has set another number than `from`, or it is another source than before */
  | { readonly is: 'changed'; readonly from: number }
  /** our label is gone, and our number is still there; the status has the size */
  | { readonly is: 'lost'; readonly size: number }
  /** the label of another experiment */
  | { readonly is: 'foreign'; readonly experiment: string }

/** How a canary makes its source smaller or larger. */
export interface Scaling {
  /** as it was just read */
  readonly source: KubeObject
  readonly onSource: OnSource
  /** the pods that the source should have without the canary */
  readonly size: number
  /** as the status has it */
  readonly stored: ScaledSource | undefined
  /** whether the source is smaller because of the canary, so that its fork is production */
  readonly isServing: boolean
  readonly bounds: SizeBounds
  readonly sides: Sides
  /** whether all nodes know the pods that are listed */
  readonly isListed: boolean
}

/** The sizes on which a run works. */
export interface Sizing {
  readonly goal: SizePair
  /** whether the source gets all of its pods back before the run goes on */
  readonly isReturning: boolean
  /** whether both have just the sizes of the goal, and nothing of us is left on a source that has its own size */
  readonly isReached: boolean
  /** whether the step waits until the source is not another experiment's, which makes it smaller */
  readonly isBusy: boolean
}

/** What an undo of the promotion can do with the source as it is now. */
export type Undo =
  /** `isDone`: the source has nothing of the change any more, no matter who took it back */
  | ({ readonly is: 'possible'; readonly isDone: boolean } & TakenBack)
  | { readonly is: 'impossible'; readonly because: string }

/** RFC 7386: to the promoted values of a source, and back to its former ones. */
export type Patches = Pick<Promotion, 'forward' | 'inverse'>

/** Where the life of an experiment is: the first of these that is true. `returning`: its Services go back first. */
export type Stage = 'deleting' | 'returning' | 'expired' | 'promoted' | 'ongoing'

/**
 * What the facts of one pass or one review mean. It is derived once, before any decision, and every decision reads it.
 * Each member is computed when it is first needed.
 */
export interface Situation<F extends SpecFacts = Facts> {
  readonly facts: F
  readonly installed: Components
  readonly stage: Stage
  /** whether it has expired. While the source may have the change, the promotion or its undo is ended first */
  readonly hasExpired: boolean
  /** strategy and promotion, with all defaults; undefined without both: then there is no run */
  readonly strategy: StrategyRunSpec | undefined
  readonly runHashes: RunHashes
  /** all steps of its run on a path */
  readonly stepsOf: (path: RunPath) => readonly RunStep[]
  /** the run with the revision that is stored */
  readonly run: RunState | undefined
  /** the same; undefined while the status stores none */
  readonly storedRun: RunState | undefined
  /** the Services of a blue-green; undefined for another strategy, and where they were not read */
  readonly pins: PinState | undefined
  /** whether the run has not ended and the source may have its change, so that the fork must stay */
  readonly isWriting: boolean
  /** how many pods the fork should have now, as its run says, or else as far as `spec.replicas` was reviewed */
  readonly wantedReplicas: number
  /** how many of these should get requests */
  readonly servingReplicas: number
  /** whether the source in the cache is known to have the change */
  readonly hasChange: boolean
  /** whether the source had the change and has lost it */
  readonly isReverted: boolean
  /** whether nothing of the promotion is in the source, as it was just read */
  readonly isUntouched: boolean
  /** of the record of the promotion; undefined if it is gone or somebody replaced it */
  readonly recordedPatches: Patches | undefined
  /** undefined for an experiment that does not change the size of its source, and without the source */
  readonly scaling: Scaling | undefined
  /** what an undo can do; undefined if there is no promotion, or where that is not known */
  readonly undo: Undo | undefined
}

/** The situation of an experiment while only the facts are known that decide which fork is wanted. */
export type SpecSituation = Situation<SpecFacts>
