import type { TimeWindow, WindowAnswer } from '../query/window-query.ts'
import type { Arm } from '../window-data.ts'

/** The facts about a pod of an arm. Times are milliseconds since 1970. */
export interface ArmPodView {
  readonly name: string
  readonly uid: string
  readonly createdMs: number
  /** absent: it is not Ready */
  readonly readySinceMs?: number
  /** of its containers and native sidecars, since it was created */
  readonly restarts: number
}

/** The pods of both arms, at most 64 of each, in the order of their names. */
export interface ArmPodViews extends Readonly<Record<Arm, readonly ArmPodView[]>> {
  /** present if the control is the twin: the pods of the source, which share the requests with both, maybe none */
  readonly source?: readonly ArmPodView[]
}

/** The answer for one window of one metric. */
export interface PolledWindow {
  /** the name of the metric */
  readonly metric: string
  readonly window: TimeWindow
  /** how many intervals before it are too old to be asked for */
  readonly skipped: number
  readonly answer: WindowAnswer
}

/** What the poller found out about a run at one time. Metrics of the provider `kubernetes` are read from `arms`. */
export interface Poll {
  /** the uid of the run */
  readonly run: string
  readonly atMs: number
  /** how many looks the run had before */
  readonly looks: number
  readonly arms: ArmPodViews
  /** at most one for each metric */
  readonly windows: readonly PolledWindow[]
}
