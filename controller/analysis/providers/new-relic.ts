import type { CompleteProvider } from '../../../common/analysis/kinds/provider.ts'
import { armsOfKind } from '../../../common/analysis/query/arm-members.ts'
import {
  boundariesAround,
  type Columns,
  eventColumns,
  latencyColumns,
  MEDIAN_COLUMNS,
  nerdGraphRequest,
  sampleColumns,
  type TransactionsQuery,
  transactionQueries,
  valueQuery,
} from '../../../common/analysis/query/nrql.ts'
import {
  coarseCounts,
  eventCounts,
  FULL_PAGE,
  medianIn,
  numberInRow,
  type ReadRows,
  type Rows,
  RowsReader,
  rowsIn,
  samplesBy,
} from '../../../common/analysis/query/nrql-rows.ts'
import {
  type Failed,
  failed,
  type WindowAnswer,
  type WindowQuery,
} from '../../../common/analysis/query/window-query.ts'
import type { Arm, OfPod, WindowData } from '../../../common/analysis/window-data.ts'
import type { ProviderAdapter, Send } from './provider.ts'

/** What one window is asked with. */
interface NewRelicQuestion {
  readonly newRelic: TransactionsQuery
  readonly query: WindowQuery
  /** the rows of one query */
  readonly ask: (nrql: string) => Promise<Rows | Failed>
}

/**
 * New Relic. It is asked about each arm separately, one query after the other. An arm is silent if none of its pods had
 * a transaction: New Relic does not distinguish that from pods without an agent.
 */
export const NEW_RELIC: ProviderAdapter = {
  ask: async (query, provider, send) => {
    const { kind, newRelic } = query.metric
    const ask = askOptions(provider, send)
    if (!newRelic) return failed('the metric has no newRelic query')
    if (!ask) return failed('the provider has no account')
    const { podAttribute = 'host', errors = '' } = newRelic
    const question = { newRelic: { ...newRelic, podAttribute }, query, ask }
    switch (kind) {
      case 'Latency':
        return latency(question)
      case 'ErrorRate':
      case 'Ratio':
        return transactions(question, eventColumns(errors, podAttribute), eventCounts, (arms) => ({
          is: 'events',
          ...arms,
        }))
      case 'MannWhitney':
        return samples(question)
      case 'Value':
      case 'Threshold':
        return values(question)
      default:
        return failed(`a metric of kind ${kind} cannot ask New Relic`)
    }
  },
}

function askOptions({ newRelic }: CompleteProvider, send: Send): NewRelicQuestion['ask'] | undefined {
  if (!newRelic) return undefined
  return async (nrql) => {
    const reader = new RowsReader()
    const reply = await send(nerdGraphRequest(newRelic.accountId, nrql), reader)
    return reply.is === 'failed' ? reply : rowsIn(reply.json, reader)
  }
}

const BOTH = ['treatment', 'control'] as const

type Compare<T> = (arms: Readonly<Record<Arm, readonly T[]>>) => WindowData

/** Compares what both arms' transactions give. */
async function transactions<T extends OfPod>(
  question: NewRelicQuestion,
  columns: Columns,
  read: ReadRows<T>,
  compare: Compare<T>,
): Promise<WindowAnswer> {
  const { newRelic, query, ask } = question
  const arms: Record<Arm, T[]> = { treatment: [], control: [] }
  for (const arm of BOTH) {
    const queries = transactionQueries(newRelic, columns, query, arm)
    if (queries.is === 'failed') return queries
    for (const { nrql, pods } of queries.queries) {
      const answer = await ask(nrql)
      const found = answer.is === 'failed' ? answer : read(answer.rows, pods)
      if (found.is === 'failed') return found
      arms[arm].push(...found.pods)
    }
  }
  const silent = BOTH.filter((arm) => arms[arm].length === 0)
  return silent.length > 0 ? { is: 'silent', arms: silent } : { is: 'data', data: compare(arms) }
}

/** A window with too many requests is asked for so often: each time a quarter of what it was before. */
const MOST_TRIES = 5

/**
 * Single requests. New Relic limits how many an answer has. If a window has more, its first part is compared, the same
 * part of both arms: a longer window would have even more.
 */
async function samples(question: NewRelicQuestion): Promise<WindowAnswer> {
  const { podAttribute } = question.newRelic
  const { start, end } = question.query.window
  const read = samplesBy(podAttribute)
  let answer: WindowAnswer = FULL_PAGE
  for (let tries = 0; tries < MOST_TRIES && answer === FULL_PAGE; tries += 1) {
    const window = { start, end: start + (end - start) / 4 ** tries }
    const part = { ...question, query: { ...question.query, window } }
    answer = await transactions(part, sampleColumns(podAttribute), read, (arms) => ({ is: 'samples', ...arms }))
  }
  return answer
}

async function latency(question: NewRelicQuestion): Promise<WindowAnswer> {
  const { podAttribute } = question.newRelic
  const before = question.query.boundaries
  const median = before ? undefined : await firstMedian(question)
  if (median?.is === 'failed') return median
  const boundaries = before ?? (median?.seconds === undefined ? undefined : boundariesAround(median.seconds))
  if (!boundaries) return { is: 'silent', arms: BOTH }
  return transactions(question, latencyColumns(boundaries, podAttribute), coarseCounts(boundaries.length), (arms) => ({
    is: 'coarse',
    boundaries,
    ...arms,
  }))
}

/** How long half of the requests take, of the first pods that had any: those of the control have more. */
async function firstMedian({ newRelic, query, ask }: NewRelicQuestion): Promise<ReturnType<typeof medianIn>> {
  for (const arm of ['control', 'treatment'] as const) {
    const queries = transactionQueries(newRelic, MEDIAN_COLUMNS, query, arm)
    if (queries.is === 'failed') return queries
    for (const { nrql } of queries.queries) {
      const answer = await ask(nrql)
      const median = answer.is === 'failed' ? answer : medianIn(answer.rows)
      if (median.is === 'failed' || median.seconds !== undefined) return median
    }
  }
  return { is: 'median' }
}

/** Compares one number of each arm, or takes that of the treatment alone. */
async function values({ newRelic: { nrql = '' }, query, ask }: NewRelicQuestion): Promise<WindowAnswer> {
  const found: Partial<Record<Arm, number>> = {}
  const arms = armsOfKind(query.metric.kind)
  for (const arm of arms) {
    const text = valueQuery(nrql, query, arm)
    if (text.is === 'failed') return text
    const answer = await ask(text.nrql)
    const value = answer.is === 'failed' ? answer : numberInRow(answer.rows)
    if (value.is === 'failed') return value
    if (value.value !== undefined) found[arm] = value.value
  }
  const { treatment, control } = found
  const silent = arms.filter((arm) => found[arm] === undefined)
  if (treatment === undefined || silent.length > 0) return { is: 'silent', arms: silent }
  if (control === undefined) return { is: 'data', data: { is: 'treatmentValue', treatment } }
  return { is: 'data', data: { is: 'value', treatment, control } }
}
