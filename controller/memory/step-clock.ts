import type { StrategyRunStatus } from '../../common/api/strategy.ts'
import type { Clock, Timers } from '../../common/program/clock.ts'
import type { Key } from '../runtime/queue.ts'

/** What has lasted for a while, such as a step of a run, as this process first saw it. */
interface Sighting {
  readonly id: string
  readonly seenMs: number
  /** how old it was then, by the wall clock */
  readonly ageMs: number
}

/**
 * What is timed. Of the Services of a blue-green: the selector of the active one, and what each of them lists. Of a
 * canary that changes the size of its source: the sizes of source and fork; and how many of their pods are available,
 * and are in the slices of Services.
 */
export type TimedState = 'selector' | 'active' | 'preview' | 'sizes' | 'listed'

/** A state, as this process first saw it. */
interface StateSighting {
  readonly state: string
  readonly seenMs: number
}

/** When the objects of an experiment that leave were first noted, by uid. */
type Leaving = ReadonlyMap<string, number>

interface StepClockOptions {
  readonly timers: Pick<Timers, 'now'>
  readonly clock: Clock
  /** whether there is such an experiment; of one that is deleted during its pass nothing is remembered */
  readonly isKnown: (key: Key) => boolean
}

/**
 * How long the present step of each run lasts, by the monotonic clock from when this process first saw it. So a jump of
 * the wall clock ends no pause early. Only a process that has just started has to trust the wall clock. It also says
 * how long a fork has had too few pods; how long the Services of a blue-green have been as they are, for a way back
 * that waits for endpoints, and for nodes that follow them; the same of pods that are moved between a source and its
 * fork; and how long a fork or twin has been leaving.
 */
export class StepClock {
  readonly #options: StepClockOptions
  readonly #steps = new Map<Key, Sighting>()
  readonly #shortages = new Map<Key, Sighting>()
  readonly #states = new Map<Key, Readonly<Partial<Record<TimedState, StateSighting>>>>()
  readonly #leaving = new Map<Key, Leaving>()

  constructor(options: StepClockOptions) {
    this.#options = options
  }

  /** How many entries its maps have; 0 when all experiments are gone. For tests. */
  get entryCount(): number {
    return this.#steps.size + this.#shortages.size + this.#states.size + this.#leaving.size
  }

  /** Milliseconds since the step of the stored `run` began; undefined without a run, which is then forgotten. */
  elapsedMs(key: Key, run: StrategyRunStatus | undefined): number | undefined {
    if (run)
      return this.#ageMs(this.#steps, key, [run.run, run.revision, run.path, run.stepIndex, run.since], run.since)
    this.#steps.delete(key)
    return undefined
  }

  /**
   * Milliseconds since the status says that too few pods serve, in whole seconds that are over; undefined if it does
   * not say that.
   */
  shortMs(key: Key, since: string | undefined): number | undefined {
    if (since !== undefined) return Math.max(0, this.#ageMs(this.#shortages, key, [since], since) - 1_000)
    this.#shortages.delete(key)
    return undefined
  }

  /** How old it is that began at `since`, and is `id`. */
  #ageMs(seen: Map<Key, Sighting>, key: Key, of: readonly unknown[], since: string): number {
    const id = JSON.stringify(of)
    const { timers, clock, isKnown } = this.#options
    const nowMs = timers.now()
    const sighting = seen.get(key)
    if (sighting?.id === id) return sighting.ageMs + nowMs - sighting.seenMs
    const ageMs = Math.max(0, clock().getTime() - Date.parse(since)) || 0
    if (isKnown(key)) seen.set(key, { id, seenMs: nowMs, ageMs })
    return ageMs
  }

  /** Milliseconds since this process first saw `what` of an experiment in this state. */
  unchangedMs(key: Key, what: TimedState, state: string): number {
    const { timers, isKnown } = this.#options
    const nowMs = timers.now()
    const sightings = this.#states.get(key)
    const sighting = sightings?.[what]
    if (sighting?.state === state) return nowMs - sighting.seenMs
    if (isKnown(key)) this.#states.set(key, { ...sightings, [what]: { state, seenMs: nowMs } })
    return 0
  }

  /** Milliseconds since `noteLeaving` first named the object `uid`; undefined if the last call did not name it. */
  leavingMs(key: Key, uid: string | undefined): number | undefined {
    const sinceMs = this.#leaving.get(key)?.get(uid ?? '')
    return sinceMs === undefined ? undefined : this.#options.timers.now() - sinceMs
  }

  /** Notes which objects of an experiment leave. Those that are not named any more stay, or are gone. */
  noteLeaving(key: Key, leaving: readonly { readonly uid: string }[]): void {
    const { timers, isKnown } = this.#options
    const before = this.#leaving.get(key)
    if (leaving.length === 0 || !isKnown(key)) this.#leaving.delete(key)
    else this.#leaving.set(key, new Map(leaving.map(({ uid }) => [uid, before?.get(uid) ?? timers.now()])))
  }

  /** Forgets an experiment that is gone. */
  forget(key: Key): void {
    this.#steps.delete(key)
    this.#shortages.delete(key)
    this.#states.delete(key)
    this.#leaving.delete(key)
  }
}
