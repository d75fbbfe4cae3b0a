import type { MetricRule } from '../../api/analysis/metric.ts'
import type { Arm, WindowData } from '../window-data.ts'

/** What a decision about one metric depends on, beside its evidence. */
export interface DecisionBounds {
  /** at most this part of all analysis runs has a wrong Fail, of all metrics together */
  readonly alpha: number
  /** at most this part of all analysis runs has a wrong Pass */
  readonly beta: number
  /** how many metrics count and have a bound */
  readonly metrics: number
  /** the least requests of the treatment for a Pass */
  readonly minSamples: number
}

/** Evidence as the logarithm of e, and how much of it is needed. */
interface Evidence {
  readonly logE: number
  readonly needs: number
}

/** By how many percent the treatment is worse. What is not known yet is absent. */
export interface Effect {
  readonly estimate?: number
  /** the least and the most that is shown so far; both hold at every look */
  readonly atLeast?: number
  readonly atMost?: number
  /** `median`, `rate` or `value` */
  readonly of: string
}

/**
 * The pods that were left out, one after the other: those of the treatment if harm is shown, and those of the control
 * if safety is.
 */
export interface PodsCompared {
  /** how many; 1: there was never another one, so a pod cannot be told from its version */
  readonly groups: number
  /** without how many of them it is not shown */
  readonly outer: number
}

/** What a Pass needs beside evidence and `minSamples`. */
export interface Amount {
  readonly had: number
  readonly needs: number
  /** `of 7 windows` */
  readonly of: string
}

/** The least that a Pass takes, if everything that is measured is good. */
export interface LeastForPass {
  readonly needs: number
  readonly unit: 'seconds' | 'windows'
  /** as in an `Amount` */
  readonly of: string
}

/** What is known about one metric. */
export interface MetricResult {
  readonly verdict: 'Wait' | 'Pass' | 'Fail'
  /** harm is shown with all pods, and not without one of them */
  readonly doPodsDiffer: boolean
  /** requests, or what else was counted, of each arm */
  readonly samples: { readonly treatment: number; readonly control: number }
  /** absent: the kind bounds no error */
  readonly harm?: Evidence
  readonly safe: readonly (Evidence & { readonly part: string })[]
  readonly effect?: Effect
  /** the standard deviation of the logarithm of the control's times; `detectable` needs it */
  readonly spread?: number
  /** absent: neither is shown, or the data do not name pods */
  readonly pods?: PodsCompared
  /** requests of a pod in each window, summed over all; absent: the data do not name pods, or do not count requests */
  readonly perPod?: Readonly<Record<Arm, number>>
  /** absent: a Pass needs nothing else */
  readonly enough?: Amount
}

/** 1: as it was before versions were stored. 2: each bet is also made without any one pod. 3: stratum by stratum. */
export type StateVersion = 1 | 2 | 3

/**
 * The statistics of a kind of metrics. A state is at most 2,000 finite numbers; that of no window is empty. A rule has
 * all defaults of its kind.
 */
export interface MetricEngine {
  /** of the states: one of another version is of no use */
  readonly version: StateVersion
  /** whether the kind bounds the part of wrong verdicts, so that α is shared with it */
  readonly isBounded: boolean
  /** `state` with one more window; undefined if such data are of no use to the kind. Changes neither argument. */
  readonly fold: (state: readonly number[], data: WindowData, rule: MetricRule) => readonly number[] | undefined
  /** absent: it depends on the requests, or on a plugin */
  readonly leastForPass?: (rule: MetricRule, question: Pick<DecisionBounds, 'beta'>) => LeastForPass
  /** what all windows say */
  readonly judge: (state: readonly number[], rule: MetricRule, question: DecisionBounds) => MetricResult
}
