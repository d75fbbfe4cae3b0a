import type { MetricRule } from '../../api/analysis/metric.ts'
import { type Cells, dispersionOf, withCells } from '../engine/dispersion.ts'
import {
  betsOf,
  noRateState,
  type RateMargins,
  type RateState,
  type RateWindow,
  rateEvidence,
  withRateWindow,
} from '../engine/rates.ts'
import { type Counts, rateSteps, shareSteps } from '../engine/steps.ts'
import type { EventCounts, WindowData } from '../window-data.ts'
import { effectBounds, marginsOf, percentMore, withEffectBets } from './effect.ts'
import { checked, judged, needsOfHarm, needsOfSafety, type Shown } from './judgement.ts'
import type { DecisionBounds, MetricEngine, MetricResult } from './metric-engine.ts'
import { type ArmCounts, busyIn, knownPerPod, type PerPod, withPerPod, withUsualRequests } from './per-pod.ts'
import { type ArmPlaces, loadedArms, outside, placedArms, savedArms, withoutEach } from './places.ts'
import { joinLists, listsOfSums, splitLists, sumsIn } from './state-lists.ts'

/** The margins of a rule, as parts. */
export const rateMarginsOf = (rule: MetricRule): RateMargins => {
  const { acceptablePercent = 0, higherIsBetter = false } = rule
  return {
    ...marginsOf(rule),
    // the arms change places, so it would limit the rate of the control
    acceptable: higherIsBetter ? 0 : acceptablePercent / 100,
    areGood: higherIsBetter,
  }
}

interface State {
  readonly totals: Counts
  /** seconds without an event of the treatment, up to now */
  readonly quietSeconds: number
  readonly windows: number
  readonly perPod: PerPod
  readonly cells: Cells
  readonly sums: RateState
  readonly rungs: readonly number[]
  readonly places: ArmPlaces
}

const save = ({ totals, quietSeconds, windows, perPod, cells, sums, rungs, places }: State): readonly number[] => {
  const { events, exposure, controlEvents, controlExposure } = totals
  return joinLists(
    [events, exposure, controlEvents, controlExposure, quietSeconds, windows, perPod.treatment, perPod.control],
    [cells.count, cells.events, cells.exposure, cells.squares],
    ...listsOfSums([sums.harm, sums.fixedHarm, sums.safe]),
    sums.fixedSafe,
    rungs,
    ...savedArms(places),
  )
}

function load(numbers: readonly number[], rule: MetricRule): State {
  const [
    counts = [],
    ofCells = [],
    harm = [],
    harmWithout = [],
    fixedHarm = [],
    fixedHarmWithout = [],
    safe = [],
    safeWithout = [],
    fixedSafe = [],
    rungs = [],
    own = [],
    others = [],
  ] = splitLists(numbers)
  const [events = 0, exposure = 0, controlEvents = 0, controlExposure = 0, quietSeconds = 0] = counts
  const [windows = 0, ofOwn = 0, ofOthers = 0] = counts.slice(5)
  const [count = 0, cellEvents = 0, cellExposure = 0, squares = 0] = ofCells
  return {
    totals: { events, exposure, controlEvents, controlExposure },
    ...{ quietSeconds, windows, perPod: { treatment: ofOwn, control: ofOthers } },
    cells: { count, events: cellEvents, exposure: cellExposure, squares },
    sums:
      numbers.length === 0
        ? noRateState(rateMarginsOf(rule))
        : {
            harm: sumsIn(harm, harmWithout),
            fixedHarm: sumsIn(fixedHarm, fixedHarmWithout),
            safe: sumsIn(safe, safeWithout),
            fixedSafe,
          },
    rungs,
    places: loadedArms(own, others),
  }
}

const isDisturbed = ({ events, isDisturbed = false }: EventCounts): boolean => events > 0 || isDisturbed

const sumOf = (counts: readonly EventCounts[]) => ({
  events: counts.reduce((sum, { events }) => sum + events, 0),
  exposure: counts.reduce((sum, { exposure }) => sum + exposure, 0),
})

/** What both arms have counted. If a higher rate is better, they change places. */
export function ordered(
  own: readonly EventCounts[],
  others: readonly EventCounts[],
  { higherIsBetter }: MetricRule,
): Counts {
  const [first, second] = higherIsBetter ? [sumOf(others), sumOf(own)] : [sumOf(own), sumOf(others)]
  return { ...first, controlEvents: second.events, controlExposure: second.exposure }
}

/** How many requests a pod had, or how many seconds. */
export const exposureOf = ({ exposure }: EventCounts): number => exposure

/** What both arms have counted, also without each place. `perPod`: in the windows before. */
export function rateWindowOf(
  { treatment, control }: ArmCounts<EventCounts>,
  { places, perPod }: Pick<State, 'places' | 'perPod'>,
  rule: MetricRule,
): RateWindow {
  const suspected = rule.higherIsBetter ? treatment : withUsualRequests({ treatment, control }, perPod)
  return {
    all: ordered(treatment, control, rule),
    harm: ordered(suspected, control, rule),
    ofHarm: withoutEach(places.treatment, (place) =>
      ordered(outside(places.treatment, place, suspected), control, rule),
    ),
    ofSafety: withoutEach(places.control, (place) => ordered(treatment, outside(places.control, place, control), rule)),
  }
}

/** The sums of two counts. */
export const withCounts = (one: Counts, other: Counts): Counts => ({
  events: one.events + other.events,
  exposure: one.exposure + other.exposure,
  controlEvents: one.controlEvents + other.controlEvents,
  controlExposure: one.controlExposure + other.controlExposure,
})

/** Counts of events with one more window; undefined for other data. */
export function foldRates(state: readonly number[], data: WindowData, rule: MetricRule): readonly number[] | undefined {
  if (data.is !== 'events') return undefined
  const former = load(state, rule)
  const { treatment, control } = data
  const places = placedArms(former.places, busyIn(data, exposureOf))
  const window = rateWindowOf(data, { ...former, places }, rule)
  const { all, harm } = window
  const seconds = Math.max(0, ...treatment.map(({ exposure }) => exposure))
  return save({
    totals: withCounts(former.totals, all),
    quietSeconds: treatment.some(isDisturbed) ? 0 : former.quietSeconds + seconds,
    windows: former.windows + 1,
    perPod: withPerPod(former.perPod, data, exposureOf),
    cells: withCells(former.cells, [...treatment, ...control]),
    sums: withRateWindow(former.sums, window, rateMarginsOf(rule)),
    rungs: withEffectBets(former.rungs, (margin, side) =>
      side === 1 && !rule.higherIsBetter ? shareSteps(harm, 1 + margin) : rateSteps(all, 1 + margin, side),
    ),
    places,
  })
}

/** With fewer windows safety is never shown: events that come together have not had time to come. */
export const LEAST_WINDOWS = 3

/** The result of all windows. `more`: what another kind shows instead, from the seconds without an event. */
export function judgeRates(
  numbers: readonly number[],
  rule: MetricRule,
  question: DecisionBounds,
  more: (quietSeconds: number) => Partial<Shown> = () => ({}),
): MetricResult {
  const state = load(numbers, rule)
  const { events, exposure, controlEvents, controlExposure } = state.totals
  const margins = rateMarginsOf(rule)
  const dispersion = dispersionOf(state.cells)
  const { harm, safe } = rateEvidence(state.sums, margins, dispersion)
  const shown = (log: number) => (state.windows < LEAST_WINDOWS ? Math.min(0, log) : log)
  const estimate = percentMore(events / exposure, controlEvents / controlExposure)
  const bounds = effectBounds(state.rungs, {
    harm: needsOfHarm(question) * (margins.areGood ? dispersion : 1),
    safety: needsOfSafety(question) * dispersion,
    harmBets: betsOf(margins),
  })
  const samples = margins.areGood
    ? { treatment: controlExposure, control: exposure }
    : { treatment: exposure, control: controlExposure }
  return judged(
    {
      harm: checked(harm, state.places.treatment),
      safe: { rate: checked({ all: shown(safe.all), without: safe.without.map(shown) }, state.places.control) },
      parts: [harm.all],
      samples,
      perPod: knownPerPod(state.perPod),
      effect: { ...(estimate === undefined ? {} : { estimate }), ...bounds, of: 'rate' },
      ...more(state.quietSeconds),
    },
    question,
  )
}

/** Events among requests: errors, or anything else. */
export const RATE_ENGINE: MetricEngine = {
  version: 2,
  isBounded: true,
  fold: foldRates,
  judge: judgeRates,
}
