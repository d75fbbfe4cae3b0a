/** What a provider gave for one window, pod by pod where it knows them. Both arms have the same span of time. */

/** Pods of the fork, or those that they are compared with. */
export type Arm = 'treatment' | 'control'

/** What one pod gave; without `pod`: what all pods of an arm gave together. */
export interface OfPod {
  readonly pod?: string
  /** the value of the label that `stratifyBy` names, maybe an empty one; absent: the metric has no strata */
  readonly stratum?: string
}

/** How long each request took, in seconds. */
export interface Samples extends OfPod {
  readonly values: readonly number[]
}

/** How many requests took longer than each boundary, and how many there were. */
export interface CoarseCounts extends OfPod {
  readonly exceeding: readonly number[]
  readonly total: number
}

/** How many requests each bucket has. Bucket k is (ratioᵏ⁻¹, ratioᵏ]; `zero` counts what is below all buckets. */
export interface FineCounts extends OfPod {
  readonly zero: number
  readonly buckets: readonly (readonly [k: number, count: number])[]
}

/** How often something happened, such as an error, and among how many requests or in how many seconds. */
export interface EventCounts extends OfPod {
  readonly events: number
  readonly exposure: number
  /** it had no event that counts, but was not undisturbed: such as a further restart of a crash loop */
  readonly isDisturbed?: boolean
}

interface Arms<T> {
  readonly treatment: T
  readonly control: T
}

/** The data of one window, by what is counted. */
export type WindowData =
  | ({ readonly is: 'samples' } & Arms<readonly Samples[]>)
  /** `boundaries`: in seconds, ascending, without +Inf */
  | ({ readonly is: 'coarse'; readonly boundaries: readonly number[] } & Arms<readonly CoarseCounts[]>)
  | ({ readonly is: 'fine'; readonly ratio: number } & Arms<readonly FineCounts[]>)
  | ({ readonly is: 'events' } & Arms<readonly EventCounts[]>)
  | ({ readonly is: 'value' } & Arms<number>)
  /** of a metric that is not compared with the control */
  | { readonly is: 'treatmentValue'; readonly treatment: number }
  /** `message`: what the plugin says */
  | { readonly is: 'decision'; readonly decision: 'Wait' | 'Pass' | 'Fail'; readonly message: string }
