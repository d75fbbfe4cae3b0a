import type { TimeWindow, WindowAnswer } from '../query/window-query.ts'
import type { Arm } from '../window-data.ts'

/** What is seen of a pod of an arm. Times are milliseconds since 1970. */
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
  /** where the control is the twin: the pods of the source with which the twin is compared, which may be none */
  readonly source?: readonly ArmPodView[]
}

/** What one window of one metric gave. */
export interface PolledWindow {
  /** its name */
  readonly metric: string
  readonly window: TimeWindow
  /** windows before it that nobody asks for any more */
  readonly skipped: number
  readonly answer: WindowAnswer
  /** the same about the twin, compared with the source; absent: nothing was asked */
  readonly twin?: WindowAnswer
}

/** What the poller found out about a run at one time. Metrics that ask Kubernetes itself are read from `arms`. */
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
