import type { CompleteProvider } from '../../../common/analysis/kinds/provider.ts'
import { eventPods, eventsAnswer } from '../../../common/analysis/query/events.ts'
import { histogramAnswer, histogramsOf } from '../../../common/analysis/query/histogram.ts'
import { packedHistogram } from '../../../common/analysis/query/native-buckets.ts'
import { valueAnswer } from '../../../common/analysis/query/one-number.ts'
import { eventsRequest, histogramRequest, totalRequest, valueRequest } from '../../../common/analysis/query/promql.ts'
import { scrapedTwice } from '../../../common/analysis/query/scrapes.ts'
import {
  numberInResult,
  ResultReader,
  SeriesPlaces,
  SeriesReader,
  seriesIn,
} from '../../../common/analysis/query/series.ts'
import type { ProviderRequest, WindowAnswer, WindowQuery } from '../../../common/analysis/query/window-query.ts'
import type { Arm } from '../../../common/analysis/window-data.ts'
import type { ProviderAdapter, Send } from './provider.ts'

/** Prometheus, and what answers as Prometheus does. Everything that a window needs is asked at once. */
export const PROMETHEUS: ProviderAdapter = {
  ask: (query, provider, send) => {
    const { histogram, query: promql } = query.metric.prometheus ?? {}
    if (promql !== undefined) return askValue(query, send)
    return histogram === undefined ? askEvents(query, provider, send) : askHistogram(query, provider, send)
  },
}

/** Asks for series of an arm. */
type Ask = (arm: Arm, request: ProviderRequest) => Promise<ReturnType<typeof seriesIn>>

function asker({ metric, window, namespace, arms }: WindowQuery, labels: CompleteProvider, send: Send): Ask {
  const { stratifyBy } = metric.prometheus ?? {}
  const places = { treatment: new SeriesPlaces(), control: new SeriesPlaces() }
  return async (arm, request) => {
    const asked = { window, namespace, pods: arms[arm].pods, labels, stratifyBy, histogram: packedHistogram }
    const reader = new SeriesReader(asked, places[arm])
    const answer = seriesIn(await send(request, reader), asked, reader)
    if (answer.is === 'failed') return answer
    await nextTurn()
    return scrapedTwice(answer.series) ?? answer
  }
}

/** Lets other work go on between two parts that can take long. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function askHistogram(query: WindowQuery, provider: CompleteProvider, send: Send): Promise<WindowAnswer> {
  const ask = asker(query, provider, send)
  const askArm = async (arm: Arm) => {
    const answer = await ask(arm, histogramRequest(query, arm, provider))
    if (answer.is === 'failed') return answer
    await nextTurn()
    return { is: 'arm', series: answer.series, found: histogramsOf(answer.series, query) } as const
  }
  const [treatment, control] = await Promise.all([askArm('treatment'), askArm('control')])
  if (treatment.is === 'failed') return treatment
  if (control.is === 'failed') return control
  await nextTurn()
  const found = { treatment: treatment.found, control: control.found }
  return histogramAnswer({ treatment: treatment.series, control: control.series }, query, found)
}

async function askEvents(query: WindowQuery, provider: CompleteProvider, send: Send): Promise<WindowAnswer> {
  const ask = asker(query, provider, send)
  const askArm = async (arm: Arm) => {
    const [events, total] = await Promise.all([
      ask(arm, eventsRequest(query, arm, provider)),
      ask(arm, totalRequest(query, arm, provider)),
    ])
    if (events.is === 'failed') return events
    if (total.is === 'failed') return total
    await nextTurn()
    const series = { events: events.series, total: total.series }
    return { is: 'arm', series, found: eventPods(series, query.metric.prometheus?.stratifyBy) } as const
  }
  const [treatment, control] = await Promise.all([askArm('treatment'), askArm('control')])
  if (treatment.is === 'failed') return treatment
  if (control.is === 'failed') return control
  await nextTurn()
  const found = { treatment: treatment.found, control: control.found }
  return eventsAnswer({ treatment: treatment.series, control: control.series }, query, found)
}

async function askValue(query: WindowQuery, send: Send): Promise<WindowAnswer> {
  const ask = async (arm: Arm) => {
    const reader = new ResultReader()
    return numberInResult(await send(valueRequest(query, arm), reader), reader.items)
  }
  // a bound is of the fork alone
  if (query.metric.kind === 'Threshold') return valueAnswer(await ask('treatment'))
  const [treatment, control] = await Promise.all([ask('treatment'), ask('control')])
  return valueAnswer(treatment, control)
}
