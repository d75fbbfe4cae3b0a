import { coarseAnswer } from './coarse-buckets.ts'
import { fineAnswer } from './fine-buckets.ts'
import { ARMS, type PerArm, perArm, silentAnswer } from './per-arm.ts'
import type { PrometheusSeries } from './series.ts'
import type { Failed, WindowAnswer, WindowQuery } from './window-query.ts'

const DIFFERENT_SORTS: Failed = {
  is: 'failed',
  message: 'the histograms are of different sorts: some are native, some have buckets',
}

/**
 * How long the requests of each pod took. Native histograms are preferred, because their buckets are narrower. But a
 * run that began with buckets goes on with them: the two sorts cannot be added up.
 */
export function histogramAnswer(series: PerArm<readonly PrometheusSeries[]>, query: WindowQuery): WindowAnswer {
  const { histogram = '' } = query.metric.prometheus ?? {}
  const coarse = perArm((arm) => series[arm].filter(({ name }) => name === `${histogram}_bucket`))
  // numbers under the name itself are of a summary or of something else
  const native = perArm((arm) =>
    series[arm].filter(({ name, histograms: { start, end } }) => name === histogram && (start ?? end) !== undefined),
  )
  const haveBoth = (sort: PerArm<readonly PrometheusSeries[]>) => ARMS.every((arm) => sort[arm].length > 0)
  const unknown = silentAnswer(perArm((arm) => [...native[arm], ...coarse[arm]]))
  if (unknown) return unknown
  if (query.boundaries === undefined && haveBoth(native)) return fineAnswer(native, query)
  return haveBoth(coarse) ? coarseAnswer(coarse, query) : DIFFERENT_SORTS
}
