import { duration } from '../../text/duration.ts'
import type { RunEffect, RunMetric } from '../kinds/run.ts'
import type { Finding } from './verdict.ts'

/** What is told beside the metrics. */
export interface MessageOf {
  readonly finding: Finding
  readonly metrics: readonly RunMetric[]
  /** what providers failed with in this look, by metric */
  readonly failures: ReadonlyMap<string, string>
  /** the start of the first window and the present moment, in milliseconds since 1970 */
  readonly startedMs: number | undefined
  readonly nowMs: number
}

/** Texts for reasons that are not about the evidence of a metric. */
const SAID: Readonly<Record<string, string>> = {
  NoPods: 'waiting for pods of both versions that are Ready long enough',
  NoTraffic: 'no requests to either version',
  NoTreatmentData: 'no data of the fork, but of its source',
  NoControlData: 'no data of the source, but of the fork',
  PodsDiffer: 'harm is shown, but single pods could explain it',
  NotHealthy: 'the fork did not get ready',
}

/** `latency +22% (+5% to +50%), harm 12 of 80; errors +3%, needs about 9m more`. In English, for people. */
export function messageOf({ finding, metrics, failures, startedMs, nowMs }: MessageOf): string {
  const failed = [...failures].map(([metric, failure]) => `${metric}: no data: ${failure}`)
  const said = SAID[finding.reason]
  const lines = metrics.filter(({ samples }) => samples !== undefined).map(metricLine)
  const rest = finding.verdict === 'Wait' && startedMs !== undefined ? remaining(metrics, nowMs - startedMs) : undefined
  const needs = rest === undefined ? [] : [`needs about ${duration(rest)} more`]
  const parts = [...(said === undefined ? [] : [said]), ...failed, ...lines, ...needs]
  return parts.length === 0 ? 'waiting for the first window' : parts.join('; ')
}

function metricLine(metric: RunMetric): string {
  const { name, effect, harm, verdict } = metric
  const words = [
    ...(effect?.estimate === undefined ? [] : [signed(effect.estimate)]),
    ...rangeOf(effect),
    ...(harm === undefined ? [] : [`harm ${odds(harm.logE)} of ${odds(harm.needs)}`]),
  ]
  const text = words.length === 0 ? verdict : words.join(', ').replace(/^([+-]?\S+), \(/, '$1 (')
  return `${name} ${text}`
}

const rangeOf = (effect: RunEffect | undefined): readonly string[] => {
  const { atLeast, atMost } = effect ?? {}
  if (atLeast === undefined && atMost === undefined) return []
  if (atMost === undefined) return [`(at least ${signed(atLeast ?? 0)})`]
  return [atLeast === undefined ? `(at most ${signed(atMost)})` : `(${signed(atLeast)} to ${signed(atMost)})`]
}

const signed = (percent: number): string => `${percent > 0 ? '+' : ''}${Math.round(percent)}%`

/** How much more likely the data are with harm than without it: so much evidence is told in whole numbers. */
const odds = (logE: number): string => {
  const value = Math.exp(Math.min(logE, Math.log(1e6)))
  return value < 1 ? '<1' : String(Math.round(value))
}

/** Nobody waits for longer than that. */
const LONGEST_SECONDS = 7 * 86_400

/**
 * In how many seconds every metric is shown to be safe if its evidence grows as it did so far; undefined where it does
 * not grow.
 */
function remaining(metrics: readonly RunMetric[], elapsedMs: number): number | undefined {
  const waits = metrics.flatMap(({ safe = [] }) =>
    safe.map(({ logE, needs }) => (logE >= needs ? 0 : logE > 0 ? ((needs - logE) * elapsedMs) / logE : Infinity)),
  )
  const seconds = Math.round(Math.max(0, ...waits) / 1_000)
  const minutes = Math.max(60, Math.round(seconds / 60) * 60)
  return seconds > 0 && seconds <= LONGEST_SECONDS ? minutes : undefined
}
