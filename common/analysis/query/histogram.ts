import { coarseAnswer, coarseHistograms } from './coarse-buckets.ts'
import { fineAnswer, fineHistograms } from './fine-buckets.ts'
import { ARMS, type PerArm, perArm, silentAnswer } from './per-arm.ts'
import type { PrometheusSeries } from './series.ts'
import type { Failed, WindowAnswer, WindowQuery } from './window-query.ts'

const DIFFERENT_SORTS: Failed = {
  is: 'failed',
  message: 'the histograms are of different sorts: some are native, some have buckets',
}

const NOT_CLASSIC: Failed = {
  is: 'failed',
  message:
    'stratifyBy needs classic histograms, and an arm has only native ones; expose both sorts, or remove stratifyBy',
}

/** The series of an arm by their sort, and what they have counted. */
export function histogramsOf(series: readonly PrometheusSeries[], query: Pick<WindowQuery, 'metric'>) {
  const { histogram = '', stratifyBy } = query.metric.prometheus ?? {}
  const coarse = series.filter(({ name }) => name === `${histogram}_bucket`)
  // numbers under the name itself are of a summary or of something else
  const native = series.filter(
    ({ name, histograms: { start, end } }) => name === histogram && (start ?? end) !== undefined,
  )
  return { coarse, native, counted: { coarse: coarseHistograms(coarse, stratifyBy), native: fineHistograms(native) } }
}

/**
 * How long the requests of each pod took. Native histograms are preferred, because their buckets are narrower. But a
 * run that began with buckets goes on with them: the two sorts cannot be added up. Strata have buckets, because the
 * memory of a metric has no room for eight times a native histogram. The last argument is what `histogramsOf` gave for
 * each arm.
 */
export function histogramAnswer(
  series: PerArm<readonly PrometheusSeries[]>,
  query: WindowQuery,
  found = perArm((arm) => histogramsOf(series[arm], query)),
): WindowAnswer {
  const isStratified = query.metric.prometheus?.stratifyBy !== undefined
  const unknown = silentAnswer(perArm((arm) => [...found[arm].native, ...found[arm].coarse]))
  if (unknown) return unknown
  const of = <T>(read: (arm: (typeof found)['treatment']) => T) => perArm((arm) => read(found[arm]))
  const haveBoth = (sort: 'native' | 'coarse') => ARMS.every((arm) => found[arm][sort].length > 0)
  if (query.boundaries === undefined && !isStratified && haveBoth('native'))
    return fineAnswer(
      of(({ native }) => native),
      query,
      of(({ counted }) => counted.native),
    )
  return haveBoth('coarse')
    ? coarseAnswer(
        of(({ coarse }) => coarse),
        query,
        of(({ counted }) => counted.coarse),
      )
    : isStratified
      ? NOT_CLASSIC
      : DIFFERENT_SORTS
}
