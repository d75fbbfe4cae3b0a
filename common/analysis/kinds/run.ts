import {
  type AnalysisSpec,
  type AnalysisVerdict,
  CONTROLS,
  TIMEOUT_ACTIONS,
  type TimeoutAction,
  VERDICTS,
} from '../../api/analysis/analysis.ts'
import { malformed } from '../../api/analysis/decode.ts'
import type { Metric } from '../../api/analysis/metric.ts'
import { MAX_METRICS, METRIC, objectName } from '../../api/analysis/structures.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import type { FieldError } from '../../api/types.ts'
import { picked } from '../../json/conform.ts'
import {
  amount,
  anyNumber,
  arrayOf,
  flag,
  number,
  object,
  optional,
  text,
  time,
  whole,
  word,
} from '../../json/structure.ts'
import { RUN_TRAFFIC, type RunTraffic } from './run-traffic.ts'

/** The experiment of an analysis run. */
interface RunExperiment {
  readonly name: string
  readonly uid: string
  /** `metadata.generation` when the analysis run began */
  readonly generation: number
}

/** The question about one subject, resolved, so that later edits of a template do not change it. */
export interface AnalysisRunSpec
  extends Required<Pick<AnalysisSpec, 'attempt' | 'control' | 'alpha' | 'beta' | 'minSamples'>> {
  readonly experiment: RunExperiment
  /** hashes of everything on which the question depends; an earlier version made runs without the whole one */
  readonly subject: string
  readonly wholeSubject?: string
  /** with all defaults and args; only the placeholders that differ from window to window are left */
  readonly metrics: readonly Metric[]
}

/** How many windows of all metrics had each outcome. */
export interface RunWindows {
  readonly counted: number
  readonly empty: number
  readonly unusable: number
  readonly skipped: number
}

/** What the traffic can show. */
export interface RunPower {
  /** the smallest slowdown that 8 of 10 analysis runs find */
  readonly percent: number
  readonly withinSeconds: number
}

/** Evidence as the logarithm of e, and how much is needed. */
interface RunEvidence {
  readonly logE: number
  readonly needs: number
}

/** Evidence that one part of a metric is safe. */
interface RunSafety extends RunEvidence {
  /** such as `body` or `tail` */
  readonly part: string
}

/** How much worse the fork is, in percent; absent numbers are not known yet. */
export interface RunEffect {
  readonly estimate?: number
  /** shown so far: at least this */
  readonly atLeast?: number
  /** shown so far: at most this */
  readonly atMost?: number
  /** such as `median` or `rate` */
  readonly of: string
}

/** Whether single pods could explain what is shown: those of the fork harm, and those of its source safety. */
interface RunPods {
  /** how many pods were left out, one after the other; 1: there was never another one */
  readonly groups: number
  /** without how many of them it is not shown */
  readonly outer: number
}

/** Of an earlier version: that the twin is worse than the source. */
interface RunTwin extends RunEvidence {
  readonly state: readonly number[]
}

/** The evidence at one time, for people. */
export interface RunPoint extends Omit<RunEffect, 'of'> {
  readonly at: string
  /** log e */
  readonly harm: number
  /** the smallest log e of all parts */
  readonly safe: number
}

/** What the engine of a metric remembers, since its numbers have a version: doubles, as in `state`. */
export interface RunMemory {
  readonly version: number
  readonly numbers: readonly number[]
  /** present if another version of the controller had begun the run: windows count since then */
  readonly since?: string
}

/** What is known about one metric. */
export interface RunMetric {
  readonly name: string
  readonly verdict: AnalysisVerdict
  readonly reason: string
  readonly since: string
  /** the end of the last window that was folded in: the next one starts here */
  readonly windowEnd?: string
  readonly samples?: { readonly control: number; readonly treatment: number }
  /** before anything was counted: whether the provider had series of it in a window; an earlier version did not say */
  readonly hasSeries?: boolean
  readonly harm?: RunEvidence
  readonly safe?: readonly RunSafety[]
  readonly effect?: RunEffect
  readonly pods?: RunPods
  /** the memory of the engine: doubles, which the API server gives back bit by bit, but for -0 */
  readonly state?: readonly number[]
  /** of the kinds whose numbers have a version, instead of `state` */
  readonly memory?: RunMemory
  /** of a run of an earlier version whose control is the twin */
  readonly twin?: RunTwin
  readonly trace?: readonly RunPoint[]
}

/** The `status` of an ExperimentAnalysisRun. One write for each look, and none after the verdict. */
export interface AnalysisRunStatus extends Pick<AnalysisRunSpec, 'wholeSubject'> {
  readonly verdict: AnalysisVerdict
  readonly reason: string
  readonly message: string
  /** RFC 3339, as all times here: the start of the first window */
  readonly startedAt?: string
  readonly finishedAt?: string
  /** when verdict or reason last changed */
  readonly since: string
  readonly nextLookAt?: string
  readonly looks: number
  /** requests of the fork that were counted: the most of all metrics */
  readonly requests: number
  readonly windows: RunWindows
  readonly traffic?: RunTraffic
  readonly power?: RunPower
  /** what follows from the verdict */
  readonly action?: TimeoutAction
  readonly metrics?: readonly RunMetric[]
}

/** An ExperimentAnalysisRun, as far as it is used. */
export interface AnalysisRun {
  readonly metadata: Pick<ObjectMeta, 'name' | 'labels' | 'creationTimestamp' | 'resourceVersion'> & {
    readonly namespace: string
    readonly uid: string
  }
  readonly spec: AnalysisRunSpec
  /** absent: it has not begun */
  readonly status?: AnalysisRunStatus
}

const MAX_STATE = 1_000 // 13 KB for 600 of them
/** The most points of a trace. */
export const MAX_TRACE = 60

const hash = text(64)
const reason = text(1_024)

/** The `spec` of an analysis run. */
export const RUN_SPEC = object<AnalysisRunSpec>({
  experiment: object<RunExperiment>({ name: objectName, uid: hash, generation: amount }),
  ...{ subject: hash, wholeSubject: optional(hash) },
  attempt: whole(1, 2_147_483_647),
  control: word(CONTROLS),
  alpha: number(0.0001, 0.2),
  beta: number(0.0001, 0.2),
  minSamples: whole(1, 1_000_000_000),
  metrics: arrayOf(METRIC, MAX_METRICS, 1),
})

const EVIDENCE = { logE: anyNumber, needs: anyNumber }
const EFFECT = { estimate: optional(anyNumber), atLeast: optional(anyNumber), atMost: optional(anyNumber) }
const STATE = arrayOf(anyNumber, MAX_STATE)

/** The most numbers: 45 KB. */
const MAX_NUMBERS = 2_000

/** `memory` of a metric in the status of an analysis run. */
export const RUN_MEMORY = object<RunMemory>({
  version: amount,
  numbers: arrayOf(anyNumber, MAX_NUMBERS),
  since: optional(time),
})

const RUN_METRIC = object<RunMetric>({
  name: text(63),
  verdict: word(VERDICTS),
  reason,
  since: time,
  windowEnd: optional(time),
  samples: optional(object<{ control: number; treatment: number }>({ control: amount, treatment: amount })),
  hasSeries: optional(flag),
  harm: optional(object<RunEvidence>(EVIDENCE)),
  safe: optional(arrayOf(object<RunSafety>({ part: text(63), ...EVIDENCE }), 8)),
  effect: optional(object<RunEffect>({ ...EFFECT, of: text(63) })),
  pods: optional(object<RunPods>({ groups: amount, outer: amount })),
  state: optional(STATE),
  memory: optional(RUN_MEMORY),
  twin: optional(object<RunTwin>({ ...EVIDENCE, state: STATE })),
  trace: optional(arrayOf(object<RunPoint>({ at: time, ...EFFECT, harm: anyNumber, safe: anyNumber }), MAX_TRACE)),
})

/** The `status` of an analysis run. */
export const RUN_STATUS = object<AnalysisRunStatus>({
  verdict: word(VERDICTS),
  reason,
  ...{ message: text(1_024), wholeSubject: optional(hash) },
  ...{ startedAt: optional(time), finishedAt: optional(time), since: time, nextLookAt: optional(time) },
  ...{ looks: amount, requests: amount },
  windows: object<RunWindows>({ counted: amount, empty: amount, unusable: amount, skipped: amount }),
  traffic: optional(RUN_TRAFFIC),
  power: optional(object<RunPower>({ percent: anyNumber, withinSeconds: amount })),
  action: optional(word(TIMEOUT_ACTIONS)),
  metrics: optional(arrayOf(RUN_METRIC, MAX_METRICS)),
})

/**
 * The analysis run in a watched object with exactly the members that we use, or what keeps it from being one. A status
 * that is not as we write it is a mistake too: without its evidence the same windows would count again.
 */
export function decodeRun(
  stored: KubeObject,
):
  | { readonly is: 'run'; readonly run: AnalysisRun }
  | { readonly is: 'malformed'; readonly errors: readonly FieldError[] } {
  const { status, metadata } = stored
  const hasStatus = (status ?? undefined) !== undefined
  const errors = [
    ...malformed(stored.spec, RUN_SPEC, 'spec'),
    ...(hasStatus ? malformed(status, RUN_STATUS, 'status') : []),
  ]
  if (errors.length > 0) return { is: 'malformed', errors }
  const { name, namespace = '', uid = '', labels, creationTimestamp, resourceVersion } = metadata
  const run: AnalysisRun = {
    metadata: {
      ...{ name, namespace, uid, ...(labels === undefined ? {} : { labels }) },
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: picked(stored.spec, RUN_SPEC),
    ...(hasStatus ? { status: picked<AnalysisRunStatus>(status, RUN_STATUS) } : {}),
  }
  return { is: 'run', run }
}
