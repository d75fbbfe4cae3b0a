import type { KubeObject } from '../api/object.ts'
import type { RunPath } from '../api/strategy.ts'
import type { Components, Facts, SpecFacts } from '../facts/facts.ts'
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
  /** what an undo can do; undefined if there is no promotion, or where that is not known */
  readonly undo: Undo | undefined
}

/** The situation of an experiment while only the facts are known that decide which fork is wanted. */
export type SpecSituation = Situation<SpecFacts>
