import { odds } from '../../common/text/odds.ts'
import type { MetricView, ViewAnalysis } from '../../common/view/experiment-view.ts'
import { type Text, text } from '../../common/view/text.ts'
import { DASH, said, spaced } from './said.ts'
import { type Cell, tableLines } from './table.ts'
import { ageOf } from './time.ts'
import { type Showing, VERDICT_MARKS } from './tree.ts'

const HEADER = ['METRIC', 'VERDICT', 'EFFECT', 'HARM', 'SAFE', 'SAMPLES', 'SINCE'].map(text)

/** What an analysis has found, and its evidence: a row for each metric. */
export function evidenceLines(analysis: ViewAnalysis, { now, style }: Showing): readonly string[] {
  const { verdict, reason, message, run, metrics } = analysis
  const rows = metrics.map((metric): readonly Cell[] => [
    text(metric.name),
    {
      mark: VERDICT_MARKS.get(metric.verdict) ?? 'Stalled',
      text: said`${text(metric.verdict)} ${text(metric.reason)}`,
    },
    ...[effectOf(metric), metric.harm ? evidence(metric.harm) : DASH, safetyOf(metric), samplesOf(metric)],
    ageOf(metric.since, now),
  ])
  return [
    `Verdict:  ${spaced(text(verdict), said`${reason}: ${message}`)}`,
    ...(run === undefined ? [] : [`Run:      ${text(run)}`]),
    ...(rows.length === 0 ? [] : ['', ...tableLines({ rows: [HEADER, ...rows] }, style)]),
  ]
}

/** `+3% (-5% to +15%)`: how much worse the fork is, and what is shown so far. */
function effectOf({ effect }: MetricView): Text {
  if (effect?.estimate === undefined) return DASH
  const { estimate, atLeast, atMost } = effect
  const range = [atLeast, atMost].map((each) => (each === undefined ? '?' : signed(each))).join(' to ')
  return text(atLeast === undefined && atMost === undefined ? signed(estimate) : `${signed(estimate)} (${range})`)
}

const signed = (percent: number): string => `${percent > 0 ? '+' : ''}${Math.round(percent)}%`

/** `1 of 80`: how many times as likely, and how many are needed. */
const evidence = ({ logE, needs }: { readonly logE: number; readonly needs: number }): Text =>
  text(`${odds(logE)} of ${odds(needs)}`)

const safetyOf = ({ safe = [] }: MetricView): Text =>
  safe.length === 0 ? DASH : text(safe.map((part) => `${part.part} ${evidence(part)}`).join(', '))

const samplesOf = ({ samples }: MetricView): Text =>
  samples === undefined ? DASH : said`${samples.treatment} beside ${samples.control}`
