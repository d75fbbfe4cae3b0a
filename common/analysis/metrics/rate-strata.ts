import type { MetricRule } from '../../api/analysis/metric.ts'
import { type Cells, dispersionOf, jointDispersion, NO_CELLS, withCells } from '../engine/dispersion.ts'
import { added, zeros } from '../engine/mixture.ts'
import { betsOf, noRateState, type RateMargins, type RateState, rateEvidence, withRateWindow } from '../engine/rates.ts'
import { type BetDirection, type Counts, FACTORS, jointShareSteps, partSteps, rateSteps } from '../engine/steps.ts'
import { chunksOf, leftOf, type Sums, withSteps } from '../engine/sums.ts'
import type { EventCounts, WindowData } from '../window-data.ts'
import { effectBounds, percentMore, withEffectBets } from './effect.ts'
import { checked, judged, needsOfHarm, needsOfSafety } from './judgement.ts'
import type { DecisionBounds, MetricEngine, MetricResult } from './metric-engine.ts'
import { type ArmCounts, busyIn, NO_REQUESTS, type PerPod, withPerPod } from './per-pod.ts'
import { type ArmPlaces, loadedArms, placedArms, savedArms } from './places.ts'
import { exposureOf, LEAST_WINDOWS, rateMarginsOf, rateWindowOf, withCounts } from './rate.ts'
import { joinLists, listsOfSums, splitLists, sumsIn } from './state-lists.ts'
import {
  aloneIn,
  type ByPlace,
  harmOfStrata,
  MOST_PLACES_IN_STRATA,
  MOST_STRATA,
  safetyOfStrata,
  strataIn,
} from './strata.ts'

/** What one stratum has shown. */
interface RateStratum {
  readonly totals: Counts
  readonly windows: number
  readonly perPod: PerPod
  readonly cells: Cells
  readonly sums: RateState
}

interface State {
  readonly rungs: readonly number[]
  readonly places: ArmPlaces
  readonly harm: Sums
  readonly fixedHarm: Sums
  /** by the key of each stratum */
  readonly strata: ReadonlyMap<number, RateStratum>
  /** of the events in strata that only the treatment has, among all of its requests */
  readonly alone: Pick<RateState, 'safe' | 'fixedSafe'>
}

const listsOfStratum = ({ totals, windows, perPod, cells, sums }: RateStratum) => [
  [...listOfTotals(totals), windows, perPod.treatment, perPod.control],
  listOfCells(cells),
  ...listsOfSums([sums.harm, sums.fixedHarm, sums.safe]),
  sums.fixedSafe,
]
const STRATUM_LISTS = 9

function stratumIn(lists: readonly (readonly number[])[]): RateStratum {
  const [counts = [], cells = []] = lists
  const [events = 0, exposure = 0, controlEvents = 0, controlExposure = 0, windows = 0, ...perPod] = counts
  const [ofOwn = 0, ofOthers = 0] = perPod
  const [harm = [], harmWithout = [], fixedHarm = [], fixedHarmWithout = [], ...others] = lists.slice(2)
  const [safe = [], safeWithout = [], fixedSafe = []] = others
  return {
    ...{ totals: { events, exposure, controlEvents, controlExposure }, windows, cells: cellsIn(cells) },
    perPod: { treatment: ofOwn, control: ofOthers },
    sums: {
      harm: sumsIn(harm, harmWithout),
      fixedHarm: sumsIn(fixedHarm, fixedHarmWithout),
      ...{ safe: sumsIn(safe, safeWithout), fixedSafe },
    },
  }
}

const listOfTotals = ({ events, exposure, controlEvents, controlExposure }: Counts) => [
  ...[events, exposure, controlEvents, controlExposure],
]
const listOfCells = ({ count, events, exposure, squares }: Cells) => [count, events, exposure, squares]
const cellsIn = ([count = 0, events = 0, exposure = 0, squares = 0]: readonly number[]): Cells => ({
  ...{ count, events, exposure, squares },
})

/** The first list is of boundaries, which rates have none of: the strata are at one place in all states. */
const save = ({ rungs, places, harm, fixedHarm, strata, alone }: State): readonly number[] =>
  joinLists(
    [],
    [...strata.keys()],
    rungs,
    ...savedArms(places),
    ...listsOfSums([harm, fixedHarm]),
    ...[...strata.values()].flatMap(listsOfStratum),
    ...listsOfSums([alone.safe]),
    alone.fixedSafe,
  )

function load(numbers: readonly number[], margins: RateMargins): State {
  const [, keys = [], rungs = [], own = [], others = [], ...lists] = splitLists(numbers)
  const [harm = [], harmWithout = [], fixedHarm = [], fixedHarmWithout = [], ...ofStrata] = lists
  const each = chunksOf(ofStrata, STRATUM_LISTS).map(stratumIn)
  const [safe = [], safeWithout = [], fixedSafe = []] = ofStrata.slice(STRATUM_LISTS * keys.length)
  const none = noRateState(margins)
  return {
    ...{ rungs, places: loadedArms(own, others) },
    harm: harm.length > 0 ? sumsIn(harm, harmWithout) : none.harm,
    fixedHarm: fixedHarm.length > 0 ? sumsIn(fixedHarm, fixedHarmWithout) : none.fixedHarm,
    strata: new Map(keys.flatMap((key, index) => (each[index] ? [[key, each[index]] as const] : []))),
    alone: safe.length > 0 ? { safe: sumsIn(safe, safeWithout), fixedSafe } : none,
  }
}

/** The first number of a state. */
const EVENTS = 3
const NO_COUNTS: Counts = { events: 0, exposure: 0, controlEvents: 0, controlExposure: 0 }
const NO_STRATUM = { totals: NO_COUNTS, windows: 0, perPod: NO_REQUESTS, cells: NO_CELLS }
const sumOf = (strata: readonly Counts[]): Counts => strata.reduce(withCounts, NO_COUNTS)

/** The bets on rates of independent events, of all strata: each factor is the same in all of them. */
const jointRateSteps = (strata: readonly Counts[], ratio: number, side: BetDirection): readonly number[] =>
  strata.map((counts) => rateSteps(counts, ratio, side)).reduce(added, zeros(FACTORS.length))

/**
 * A window of all requests, of which only those events of the treatment count that are in strata without a control.
 * Nothing says how often these should happen. But if they alone do not happen too often, they hide no harm.
 */
function uncompared(data: ArmCounts<EventCounts>, places: ArmPlaces, rule: MetricRule) {
  const alone = aloneIn(data, 'treatment', exposureOf)
  const pods = { places, perPod: NO_REQUESTS }
  const isAlone = new Set(alone)
  const treatment = data.treatment.map((counts) => (isAlone.has(counts) ? counts : { ...counts, events: 0 }))
  return {
    events: rateWindowOf({ treatment: alone, control: [] }, pods, rule),
    among: rateWindowOf({ treatment, control: data.control }, pods, rule),
  }
}

/** Counts of events with one more window, stratum by stratum; undefined for other data, or too many strata. */
function foldRateStrata(numbers: readonly number[], data: WindowData, rule: MetricRule): readonly number[] | undefined {
  if (data.is !== 'events') return undefined
  const margins = rateMarginsOf(rule)
  const former = load(numbers, margins)
  const places = placedArms(former.places, busyIn(data, exposureOf), MOST_PLACES_IN_STRATA)
  const strata = new Map(former.strata)
  const windows = strataIn(data, exposureOf).map(({ key, treatment, control }) => {
    const before = strata.get(key) ?? { ...NO_STRATUM, sums: noRateState(margins) }
    const window = rateWindowOf({ treatment, control }, { ...before, places }, rule)
    strata.set(key, {
      totals: withCounts(before.totals, window.all),
      windows: before.windows + 1,
      perPod: withPerPod(before.perPod, { treatment, control }, exposureOf),
      cells: withCells(before.cells, [...treatment, ...control]),
      sums: withRateWindow(before.sums, window, margins),
    })
    return window
  })
  if (strata.size > MOST_STRATA) return undefined
  const all = windows.map((window) => window.all)
  const left = (place?: number) => windows.map(({ harm, ofHarm }) => leftOf(harm, ofHarm, place))
  const { events, among } = uncompared(data, places, rule)
  const allLeft = (place?: number) => sumOf([...left(place), leftOf(events.harm, events.ofHarm, place)])
  const { length } = windows[0]?.ofHarm ?? []
  const harmSteps = (counts: readonly Counts[], ratio: number) =>
    margins.areGood ? jointRateSteps(counts, ratio, 1) : jointShareSteps(counts, ratio)
  return save({
    ...{ places, strata },
    harm: withSteps(former.harm, length, (place) => harmSteps(left(place), 1 + margins.tolerance)),
    fixedHarm:
      margins.acceptable === 0
        ? former.fixedHarm
        : withSteps(former.fixedHarm, length, (place) => partSteps(allLeft(place), margins.acceptable)),
    alone: margins.areGood
      ? former.alone
      : withRateWindow({ ...noRateState(margins), ...former.alone }, among, margins),
    rungs: withEffectBets(former.rungs, (margin, side) =>
      side === 1 ? harmSteps(left(), 1 + margin) : jointRateSteps(all, 1 + margin, side),
    ),
  })
}

/** The result of all windows, stratum by stratum. */
function judgeRateStrata(numbers: readonly number[], rule: MetricRule, question: DecisionBounds): MetricResult {
  const margins = rateMarginsOf(rule)
  const { rungs, places, harm, fixedHarm, strata, alone } = load(numbers, margins)
  const dispersion = jointDispersion([...strata.values()].map(({ cells }) => cells))
  const all = [...strata.values()].map((stratum) => ({
    ...stratum,
    evidence: rateEvidence(stratum.sums, margins, dispersionOf(stratum.cells)),
  }))
  const together = rateEvidence({ ...noRateState(margins), harm, fixedHarm }, margins, dispersion).harm
  const each = all.map(({ evidence }) => evidence.harm)
  const { exposure, controlExposure, ...events } = sumOf(all.map(({ totals }) => totals))
  const hasEvents = !margins.areGood && events.events + events.controlEvents > 0
  const weight = ({ totals }: RateStratum) =>
    hasEvents ? totals.events + totals.controlEvents : totals.exposure + totals.controlExposure
  const windows = Math.max(0, ...all.map((stratum) => stratum.windows))
  const hidden = rateEvidence({ ...noRateState(margins), ...alone }, margins, dispersion).safe
  const safe = safetyOfStrata(
    all.map((stratum) => ({ evidence: shown(stratum.evidence.safe, stratum.windows), weight: weight(stratum) })),
    places.control,
    margins.areGood ? [] : [shown(hidden, windows)], // what is good may be missing in less than a tenth of the requests
  )
  const estimate = ratioOf(all.map(({ totals }) => totals))
  return judged(
    {
      harm: checked(harmOfStrata(together, each, places.treatment), places.treatment),
      safe: { rate: checked(safe, places.control) },
      parts: [together.all, ...each.map((log) => log.all)],
      samples: margins.areGood
        ? { treatment: controlExposure, control: exposure }
        : { treatment: exposure, control: controlExposure },
      effect: {
        ...(estimate === undefined ? {} : { estimate }),
        ...effectBounds(rungs, {
          harm: needsOfHarm(question) * (margins.areGood ? dispersion : 1),
          safety: needsOfSafety(question) * dispersion,
          harmBets: betsOf(margins),
        }),
        of: 'rate',
      },
    },
    question,
  )
}

/** Evidence of safety, which a stratum never has in its first windows. */
function shown({ all, without }: ByPlace, windows: number): ByPlace {
  const least = (log: number) => (windows < LEAST_WINDOWS ? Math.min(0, log) : log)
  return { all: least(all), without: without.map(least) }
}

/** By how many percent events happen more often, in strata of any size (Mantel and Haenszel 1959). */
function ratioOf(strata: readonly Counts[]): number | undefined {
  const sum = (of: (counts: Counts) => number) =>
    strata.reduce((all, counts) => all + of(counts) / (counts.exposure + counts.controlExposure), 0)
  return percentMore(
    sum(({ events, controlExposure }) => events * controlExposure),
    sum(({ controlEvents, exposure }) => controlEvents * exposure),
  )
}

/** Events among requests, stratum by stratum. The first number of a state is that of its sort, as of other strata. */
export const STRATIFIED_RATE: MetricEngine = {
  version: 3,
  isBounded: true,
  fold: ([, ...state], data, rule) => {
    const next = foldRateStrata(state, data, rule)
    return next && [EVENTS, ...next]
  },
  judge: ([, ...state], rule, question) => judgeRateStrata(state, rule, question),
}
