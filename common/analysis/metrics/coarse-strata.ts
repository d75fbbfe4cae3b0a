import type { MetricRule } from '../../api/analysis/metric.ts'
import { isEqual } from '../../json/json.ts'
import {
  type CoarseState,
  coarseEvidence,
  type Exceeding,
  isSeen,
  noCoarseState,
  withCoarseWindow,
} from '../engine/coarse-latency.ts'
import { added, zeros } from '../engine/mixture.ts'
import { FACTORS } from '../engine/steps.ts'
import { chunksOf } from '../engine/sums.ts'
import {
  type CoarseData,
  effectSteps,
  exceedingIn,
  LATENCY_LISTS,
  latencyIn,
  listsOfLatency,
  requestsOf,
  slowdownIn,
  spreadIn,
  thinned,
  treatmentOf,
} from './coarse.ts'
import { marginsOf, withEffectBets } from './effect.ts'
import { checked, judged, medianEffect } from './judgement.ts'
import type { DecisionBounds, MetricResult } from './metric-engine.ts'
import { busyIn } from './per-pod.ts'
import { type ArmPlaces, loadedArms, placedArms, savedArms } from './places.ts'
import { joinLists, splitLists } from './state-lists.ts'
import { addedUp, harmOfStrata, MOST_PLACES_IN_STRATA, MOST_STRATA, safetyOfStrata, strataIn } from './strata.ts'

interface State {
  readonly boundaries: readonly number[]
  readonly rungs: readonly number[]
  readonly places: ArmPlaces
  /** by the key of each stratum */
  readonly strata: ReadonlyMap<number, CoarseState>
}

const save = ({ boundaries, rungs, places, strata }: State): readonly number[] =>
  joinLists(
    boundaries,
    [...strata.keys()],
    rungs,
    ...savedArms(places),
    ...[...strata.values()].flatMap(listsOfLatency),
  )

function load(numbers: readonly number[]): State {
  const [boundaries = [], keys = [], rungs = [], own = [], others = [], ...lists] = splitLists(numbers)
  const each = chunksOf(lists, LATENCY_LISTS).map(latencyIn)
  return {
    ...{ boundaries, rungs, places: loadedArms(own, others) },
    strata: new Map(keys.flatMap((key, index) => (each[index] ? [[key, each[index]] as const] : []))),
  }
}

/**
 * Latency of coarse buckets with one more window, stratum by stratum; undefined if its boundaries differ from the
 * former ones, or if there are too many strata.
 */
export function foldCoarseStrata(
  numbers: readonly number[],
  data: CoarseData,
  rule: MetricRule,
): readonly number[] | undefined {
  const { boundaries, ...arms } = thinned(data)
  const former = load(numbers)
  if (numbers.length > 0 && !isEqual(former.boundaries, boundaries)) return undefined
  const places = placedArms(former.places, busyIn(data, requestsOf), MOST_PLACES_IN_STRATA)
  const strata = new Map(former.strata)
  const effects: ReturnType<typeof effectSteps>[] = []
  for (const { key, ...requests } of strataIn(arms, requestsOf)) {
    const before = strata.get(key) ?? noCoarseState(boundaries.length)
    const window = exceedingIn(requests, places, boundaries.length)
    const latency = withCoarseWindow(before, { boundaries, ...window }, marginsOf(rule), true)
    const { calibration } = latency
    if (calibration) effects.push(effectSteps(window, before.control, boundaries, calibration.body))
    strata.set(key, latency)
  }
  if (strata.size > MOST_STRATA) return undefined
  const rungs =
    effects.length === 0
      ? former.rungs
      : withEffectBets(former.rungs, (margin, side) =>
          effects.map((steps) => steps(margin, side)).reduce(added, zeros(FACTORS.length)),
        )
  return save({ boundaries, rungs, places, strata })
}

const NOTHING: Exceeding = { exceeding: [], total: 0 }

/** What all strata have exceeded together. */
const together = (each: readonly Exceeding[]): Exceeding =>
  each.reduce(
    (sum, { exceeding, total }) => ({ exceeding: added(exceeding, sum.exceeding), total: sum.total + total }),
    NOTHING,
  )

/** The result of all windows of coarse buckets, stratum by stratum. */
export function judgeCoarseStrata(numbers: readonly number[], question: DecisionBounds): MetricResult {
  const { boundaries, rungs, places, strata } = load(numbers)
  const all = [...strata.values()]
  const each = all.map(coarseEvidence)
  const control = together(all.map((latency) => latency.control))
  const harm = each.map((evidence) => evidence.harm)
  const safe = (part: 'body' | 'tail') =>
    checked(
      safetyOfStrata(
        all.map((latency, index) => ({
          evidence: each[index]?.[part] ?? { all: 0, without: [] },
          weight: isSeen(latency) ? latency.pooled.total : 0,
        })),
        places.control,
      ),
      places.control,
    )
  return judged(
    {
      harm: checked(harmOfStrata(addedUp(harm, places.treatment), harm, places.treatment), places.treatment),
      safe: { body: safe('body'), tail: safe('tail') },
      parts: each.flatMap(({ parts }) => parts),
      samples: { treatment: together(all.map(treatmentOf)).total, control: control.total },
      effect: medianEffect(slowdownOf(all, boundaries), rungs, question),
      spread: spreadIn(control, boundaries),
    },
    question,
  )
}

/** By how many percent the medians of the treatment are larger, on average over the requests. */
function slowdownOf(strata: readonly CoarseState[], boundaries: readonly number[]): number | undefined {
  const known = strata.flatMap((latency) => {
    const percent = slowdownIn(latency, boundaries)
    return percent === undefined ? [] : [{ percent, requests: latency.pooled.total }]
  })
  const requests = known.reduce((sum, each) => sum + each.requests, 0)
  if (requests === 0) return undefined
  return known.reduce((sum, each) => sum + each.percent * each.requests, 0) / requests
}
