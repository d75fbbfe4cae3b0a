import type { CompleteProvider } from '../../../common/analysis/kinds/provider.ts'
import { eventsAnswer } from '../../../common/analysis/query/events.ts'
import { histogramAnswer } from '../../../common/analysis/query/histogram.ts'
import { valueAnswer } from '../../../common/analysis/query/one-number.ts'
import { eventsRequest, histogramRequest, totalRequest, valueRequest } from '../../../common/analysis/query/promql.ts'
import { scrapedTwice } from '../../../common/analysis/query/scrapes.ts'
import { numberInResult, seriesIn } from '../../../common/analysis/query/series.ts'
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

const asker =
  ({ window, namespace, arms }: WindowQuery, labels: CompleteProvider, send: Send): Ask =>
  async (arm, request) => {
    const answer = seriesIn(await send(request), { window, namespace, pods: arms[arm].pods, labels })
    return answer.is === 'failed' ? answer : (scrapedTwice(answer.series) ?? answer)
  }

async function askHistogram(query: WindowQuery, provider: CompleteProvider, send: Send): Promise<WindowAnswer> {
  const ask = asker(query, provider, send)
  const [treatment, control] = await Promise.all([
    ask('treatment', histogramRequest(query, 'treatment', provider)),
    ask('control', histogramRequest(query, 'control', provider)),
  ])
  if (treatment.is === 'failed') return treatment
  if (control.is === 'failed') return control
  return histogramAnswer({ treatment: treatment.series, control: control.series }, query)
}

async function askEvents(query: WindowQuery, provider: CompleteProvider, send: Send): Promise<WindowAnswer> {
  const ask = asker(query, provider, send)
  const askArm = async (arm: Arm) => {
    const [events, total] = await Promise.all([
      ask(arm, eventsRequest(query, arm, provider)),
      ask(arm, totalRequest(query, arm, provider)),
    ])
    if (events.is === 'failed') return events
    return total.is === 'failed' ? total : ({ is: 'arm', events: events.series, total: total.series } as const)
  }
  const [treatment, control] = await Promise.all([askArm('treatment'), askArm('control')])
  if (treatment.is === 'failed') return treatment
  return control.is === 'failed' ? control : eventsAnswer({ treatment, control }, query)
}

async function askValue(query: WindowQuery, send: Send): Promise<WindowAnswer> {
  const ask = async (arm: Arm) => numberInResult(await send(valueRequest(query, arm)))
  // a bound is of the fork alone
  if (query.metric.kind === 'Threshold') return valueAnswer(await ask('treatment'))
  const [treatment, control] = await Promise.all([ask('treatment'), ask('control')])
  return valueAnswer(treatment, control)
}
