import type { Metric } from './metric.ts'

/** Where a template is: in the namespace of the experiment, or in no namespace. */
export const TEMPLATE_SCOPES = ['Namespace', 'Cluster'] as const
export type TemplateScope = (typeof TEMPLATE_SCOPES)[number]

/**
 * What the fork is compared with: the pods of the source, or its twin. That is a second fork without the override, of
 * the same size and age.
 */
export const CONTROLS = ['Source', 'Twin'] as const
type Control = (typeof CONTROLS)[number]

/** What follows when the time is over and neither harm nor safety has been shown. */
export const TIMEOUT_ACTIONS = ['RollBack', 'Keep', 'Promote'] as const
export type TimeoutAction = (typeof TIMEOUT_ACTIONS)[number]

/** What follows when there is no data. */
export const NO_DATA_ACTIONS = ['RollBack', 'Keep'] as const
type NoDataAction = (typeof NO_DATA_ACTIONS)[number]

/** Values of the args of a template, by name. */
export type Args = Readonly<Record<string, string>>

/** A template whose metrics an analysis has. */
export interface TemplateUse {
  readonly name: string
  /** default Namespace */
  readonly scope?: TemplateScope
  readonly args?: Args
}

/** `spec.analysis` as users write it: what has a default may be absent. */
export interface AnalysisSpec {
  /** their metrics come before `metrics` */
  readonly templates?: readonly TemplateUse[]
  readonly metrics?: readonly Metric[]
  /** default Source */
  readonly control?: Control
  /** the length of a window */
  readonly intervalSeconds?: number
  /** how long a pod must have been Ready before it counts */
  readonly warmUpSeconds?: number
  /** from the first window; absent: as long as the experiment lives */
  readonly maxSeconds?: number
  /** how long data may be missing */
  readonly noDataSeconds?: number
  /** the least requests of the fork for a Pass */
  readonly minSamples?: number
  /** at most this part of all analysis runs has a wrong Fail */
  readonly alpha?: number
  /** at most this part of all analysis runs has a wrong Pass */
  readonly beta?: number
  /** default RollBack */
  readonly onTimeout?: TimeoutAction
  /** default RollBack */
  readonly onNoData?: NoDataAction
  /** whether it goes on after a Pass, watching for harm until the experiment ends; default false */
  readonly continueAfterPass?: boolean
  /** a larger one begins the analysis again */
  readonly attempt?: number
}

/** What an analysis run, or one metric of it, says. All but Wait are final. */
export const VERDICTS = ['Wait', 'Pass', 'Fail', 'Inconclusive', 'NoData', 'Error', 'Aborted'] as const
export type AnalysisVerdict = (typeof VERDICTS)[number]

/** The words of Gated Deployments for a verdict. */
export const GATED_DEPLOY_WORDS = ['notSignificant', 'noHarm', 'harm'] as const
export type GatedDeployWord = (typeof GATED_DEPLOY_WORDS)[number]

/** The verdict on one metric. */
export interface MetricVerdict {
  readonly name: string
  readonly verdict: AnalysisVerdict
}

/** The twin as it was when it was last applied. */
export interface TwinRef {
  readonly name: string
  readonly uid: string
  readonly generation: number
}

/** `status.analysis` of an experiment: what its analysis run says. The numbers are in the run. */
export interface AnalysisStatus {
  /** the name of the ExperimentAnalysisRun; absent: there is none yet */
  readonly run?: string
  readonly verdict: AnalysisVerdict
  /** why, in one word */
  readonly reason: string
  readonly message: string
  /** RFC 3339: when verdict or reason last changed */
  readonly since: string
  /** `spec.analysis.attempt` */
  readonly attempt: number
  readonly metrics?: readonly MetricVerdict[]
  /** the verdict in the word of Gated Deployments; an earlier version did not write it */
  readonly gatedDeployStatus?: GatedDeployWord
  /** absent: there is no twin */
  readonly twin?: TwinRef
}
