import type { Metric } from '../../api/analysis/metric.ts'
import { duration } from '../../text/duration.ts'
import { wholeClauses } from '../../text/fitted.ts'
import { odds } from '../../text/odds.ts'
import type { RunEffect, RunMetric } from '../kinds/run.ts'
import { armsOfKind } from '../query/arm-members.ts'
import { queryText } from '../texts.ts'
import { type Finding, NO_SERIES } from './verdict.ts'

/** A metric after a look. */
export interface MetricOutcome {
  readonly of: Metric
  readonly metric: RunMetric
  /** the error of its provider in this look */
  readonly failure?: string
  /** what its plugin said in this look */
  readonly comment?: string
  /** what it had in the end of what a Pass needs */
  readonly shortfall?: string
}

/** What the message of a look is made of. */
interface LookMessageInput {
  readonly finding: Finding
  readonly metrics: readonly MetricOutcome[]
  /** the start of the first window and the present moment, in milliseconds since 1970 */
  readonly startedMs: number | undefined
  readonly nowMs: number
}

/** The most characters of the message of a status. */
export const MOST_CHARACTERS = 1_024

/** What is told until pods of both versions are old enough. */
export const WAITING_FOR_PODS = 'waiting for pods of both versions that are Ready for warmUpSeconds'

const NOT_FOUND = 'no series of either version in any window so far'

const BEGUN_ANEW = 'another version of the controller had begun, so windows count only since'

/** Texts for reasons that are not evident from the numbers of a metric. */
const REASON_TEXTS: Readonly<Record<string, string>> = {
  NoPods: 'no pods of both versions that were Ready for warmUpSeconds',
  NoTraffic: 'no requests to either version',
  NoTreatmentData: 'no data for the fork, only for its source',
  NoControlData: 'no data for the source, only for the fork',
  PodsDiffer: 'harm is shown with all pods of the fork, but not without one of them, which may be the cause',
  CrashLoops: 'a pod of the fork restarts again and again, and none of its source did',
  TrafficDiffers:
    'a pod of one version gets more than twice the requests of the other, so other requests may be the cause; ' +
    'choose those of one route by prometheus.matchers or testPath, or compare them by prometheus.stratifyBy',
}

/** `latency +22% (+5% to +50%), harm 12 of 80; errors +3%; needs about 9m more`. In English, for people. */
export function lookMessage({ finding, metrics, startedMs, nowMs }: LookMessageInput): string {
  const isWithoutPods = finding.reason === 'NoPods'
  const isToldOfNames = finding.reason === NO_SERIES || finding.verdict !== 'Wait'
  const rest = finding.verdict === 'Wait' && startedMs !== undefined ? remaining(metrics, startedMs, nowMs) : undefined
  const parts = [
    ...(isWithoutPods ? [WAITING_FOR_PODS] : []),
    ...grouped(metrics, ({ failure }) => failure && `no data: ${failure}`),
    ...grouped(metrics, ({ of, metric: { reason } }) => {
      // before, a series may still come with the first request
      if (reason === NO_SERIES && isToldOfNames) return `${NOT_FOUND} for ${queryText(of)}; check its name`
      if (reason === 'NoTreatmentData' && armsOfKind(of.kind).length === 1) return 'no data for the fork'
      return isWithoutPods && reason === 'NoPods' ? undefined : REASON_TEXTS[reason]
    }),
    ...grouped(metrics, ({ metric: { memory } }) => memory?.since && `${BEGUN_ANEW} ${memory.since}`),
    ...grouped(metrics, ({ shortfall }) => shortfall && `not shown, ${shortfall}`),
    ...metrics.filter(({ metric }) => metric.samples !== undefined).map(evidence),
    ...(rest === undefined ? [] : [`needs about ${duration(rest)} more`]),
  ]
  return wholeClauses(MOST_CHARACTERS, parts.length === 0 ? 'waiting for the first window' : parts.join('; '))
}

const nameOf = ({ metric: { name }, of: { dryRun } }: MetricOutcome): string => (dryRun ? `${name} (dry run)` : name)

/** `latency, errors: no data: 503`: each text once, with the metrics to which it applies. */
function grouped(metrics: readonly MetricOutcome[], textOf: (metric: MetricOutcome) => string | undefined) {
  const byText = Map.groupBy(metrics, textOf)
  return [...byText].flatMap(([text, of]) => (text ? [`${of.map(nameOf).join(', ')}: ${text}`] : []))
}

function evidence(outcome: MetricOutcome): string {
  const { effect, harm } = outcome.metric
  const size = [...(effect?.estimate === undefined ? [] : [signed(effect.estimate)]), ...rangeOf(effect)].join(' ')
  const words = [
    ...(size === '' ? [] : [size]),
    ...(harm === undefined ? [] : [`harm ${odds(harm.logE)} of ${odds(harm.needs)}`]),
    ...podsNote(outcome),
  ]
  const comment = outcome.comment === undefined ? '' : `: ${outcome.comment}`
  return `${nameOf(outcome)} ${words.length === 0 ? outcome.metric.verdict : words.join(', ')}${comment}`
}

/** What a verdict does not know about single pods. Health needs nothing more for a Pass than that none restarts. */
function podsNote({ metric: { verdict, harm, safe = [], pods } }: MetricOutcome): readonly string[] {
  const isShown = verdict === 'Fail' ? harm !== undefined : verdict === 'Pass' && safe.length > 0
  if (!isShown || (pods !== undefined && pods.groups > 1)) return []
  if (!pods) return ['single pods were not compared']
  return [
    verdict === 'Fail'
      ? 'there was only one pod at a time, which may be the cause, not its version'
      : 'compared with only one pod at a time',
  ]
}

const rangeOf = (effect: RunEffect | undefined): readonly string[] => {
  const { atLeast, atMost } = effect ?? {}
  if (atLeast === undefined && atMost === undefined) return []
  if (atMost === undefined) return [`(at least ${signed(atLeast ?? 0)})`]
  return [atLeast === undefined ? `(at most ${signed(atMost)})` : `(${signed(atLeast)} to ${signed(atMost)})`]
}

function signed(percent: number): string {
  const rounded = Math.round(percent)
  return `${rounded > 0 ? '+' : ''}${rounded}%`
}

/** A longer remaining time is not shown. */
const LONGEST_SECONDS = 7 * 86_400

/**
 * In how many seconds every metric that counts is shown to be safe if its evidence grows as it did so far; undefined
 * where it does not grow.
 */
function remaining(metrics: readonly MetricOutcome[], startedMs: number, nowMs: number): number | undefined {
  const parts = metrics.flatMap(({ of, metric: { safe = [], memory } }) =>
    (of.dryRun ? [] : safe).map((part) => ({ ...part, sinceMs: memory?.since ? Date.parse(memory.since) : startedMs })),
  )
  const waits = parts.map(({ logE, needs, sinceMs }) => {
    if (logE >= needs) return 0
    const elapsedMs = nowMs - sinceMs
    return logE > 0 ? ((needs - logE) * elapsedMs) / logE : Number.POSITIVE_INFINITY
  })
  const seconds = Math.round(Math.max(0, ...waits) / 1_000)
  const minutes = Math.max(60, Math.round(seconds / 60) * 60)
  return seconds > 0 && seconds <= LONGEST_SECONDS ? minutes : undefined
}
