import type { MetricRule } from '../../api/analysis/metric.ts'
import { zeros } from '../engine/mixture.ts'
import { rateEvidence, withRateWindow } from '../engine/rates.ts'
import { type Counts, FACTORS, rateSteps } from '../engine/steps.ts'
import type { EventCounts, WindowData } from '../window-data.ts'
import { effectBounds, percentMore, withEffectBets } from './effect.ts'
import { judged, needsOfHarm, needsOfSafety, type Shown } from './judgement.ts'
import type { DecisionBounds, LeastForPass, MetricEngine } from './metric-engine.ts'
import { type ArmsOfPods, comparedPods, withPods } from './pod-bins.ts'
import { joinLists, splitLists } from './state-lists.ts'

/** Requests without an event, and with one. */
const BINS = 2
/** Restarts are too rare to bet on safety. So a fork may pass after it was Ready for this long without a restart. */
const QUIET: LeastForPass = { needs: 300, unit: 'seconds', of: 's without a restart' }
/** The rule of Health, which has no fields for it: as for rates, but no rate of restarts is acceptable in itself. */
const HEALTH_RULE: MetricRule = { tolerancePercent: 20, maxRegressionPercent: 100, acceptablePercent: 0 }

const marginsOf = (rule: MetricRule) => {
  const { tolerancePercent = 0, maxRegressionPercent = 0, acceptablePercent = 0, higherIsBetter = false } = rule
  return {
    tolerance: tolerancePercent / 100,
    maxRegression: maxRegressionPercent / 100,
    // the arms change places, so it would limit the rate of the control
    acceptable: higherIsBetter ? 0 : acceptablePercent / 100,
  }
}

interface State {
  readonly totals: Counts
  /** seconds without an event of the treatment, up to now */
  readonly quietSeconds: number
  readonly sums: {
    readonly harm: readonly number[]
    readonly fixedHarm: readonly number[]
    readonly safe: readonly number[]
    readonly fixedSafe: readonly number[]
  }
  readonly rungs: readonly number[]
  readonly pods: readonly number[]
}

const save = ({ totals, quietSeconds, sums, rungs, pods }: State): readonly number[] => {
  const { events, exposure, controlEvents, controlExposure } = totals
  const counts = [events, exposure, controlEvents, controlExposure, quietSeconds]
  return joinLists(counts, sums.harm, sums.fixedHarm, sums.safe, sums.fixedSafe, rungs, pods)
}

function load(numbers: readonly number[]): State {
  const none = zeros(FACTORS.length)
  const [counts = [], harm = none, fixedHarm = none, safe = none, fixedSafe = none, rungs = [], pods = []] =
    splitLists(numbers)
  const [events = 0, exposure = 0, controlEvents = 0, controlExposure = 0, quietSeconds = 0] = counts
  return {
    totals: { events, exposure, controlEvents, controlExposure },
    quietSeconds,
    sums: { harm, fixedHarm, safe, fixedSafe },
    rungs,
    pods,
  }
}

const sumOf = (counts: readonly EventCounts[]) => ({
  events: counts.reduce((sum, { events }) => sum + events, 0),
  exposure: counts.reduce((sum, { exposure }) => sum + exposure, 0),
})

/** Requests of each pod: first the good ones. */
const podBins = (counts: readonly EventCounts[], { higherIsBetter = false }: MetricRule) =>
  counts.flatMap(({ pod, events, exposure }) => {
    const others = Math.max(0, exposure - events)
    return pod === undefined ? [] : [{ pod, bins: higherIsBetter ? [events, others] : [others, events] }]
  })

/** The data of the arms. If a higher rate is better, the arms change places. */
function ordered(data: WindowData & { readonly is: 'events' }, { higherIsBetter = false }: MetricRule) {
  const { treatment, control } = data
  return higherIsBetter ? { treatment: control, control: treatment } : { treatment, control }
}

function fold(state: readonly number[], data: WindowData, rule: MetricRule): readonly number[] | undefined {
  if (data.is !== 'events') return undefined
  const former = load(state)
  const { treatment, control } = ordered(data, rule)
  const [own, others] = [sumOf(treatment), sumOf(control)]
  const counts = { ...own, controlEvents: others.events, controlExposure: others.exposure }
  const seconds = Math.max(0, ...treatment.map(({ exposure }) => exposure))
  const window: ArmsOfPods = { treatment: podBins(data.treatment, rule), control: podBins(data.control, rule) }
  return save({
    totals: {
      events: former.totals.events + counts.events,
      exposure: former.totals.exposure + counts.exposure,
      controlEvents: former.totals.controlEvents + counts.controlEvents,
      controlExposure: former.totals.controlExposure + counts.controlExposure,
    },
    quietSeconds: own.events > 0 ? 0 : former.quietSeconds + seconds,
    sums: withRateWindow(former.sums, counts, marginsOf(rule)),
    rungs: withEffectBets(former.rungs, (margin, side) => rateSteps(counts, 1 + margin, side)),
    pods: withPods(former.pods, window, BINS),
  })
}

function judge(state: State, rule: MetricRule, question: DecisionBounds, others: Partial<Shown> = {}) {
  const { events, exposure, controlEvents, controlExposure } = state.totals
  const { harm, safe } = rateEvidence(state.sums, marginsOf(rule))
  const estimate = percentMore(events / exposure, controlEvents / controlExposure)
  const shown = effectBounds(state.rungs, needsOfHarm(question), needsOfSafety(question))
  const swapped = rule.higherIsBetter === true
  return judged(
    {
      harm,
      safe: { rate: safe },
      parts: [harm],
      samples: swapped
        ? { treatment: controlExposure, control: exposure }
        : { treatment: exposure, control: controlExposure },
      effect: { ...(estimate === undefined ? {} : { estimate }), ...shown, of: 'rate' },
      pods: () => comparedPods(state.pods, BINS, { by: 'share', above: 0 }, question.subject),
      ...others,
    },
    question,
  )
}

/** Events among requests: errors, or anything else. */
export const RATE_ENGINE: MetricEngine = {
  isBounded: true,
  fold,
  judge: (state, rule, question) => judge(load(state), rule, question),
}

/** Restarts of containers, among seconds of pods. They need no number of requests. */
export const HEALTH_ENGINE: MetricEngine = {
  isBounded: true,
  leastForPass: () => QUIET,
  fold: (state, data) => fold(state, data, HEALTH_RULE),
  judge: (numbers, _rule, question) => {
    const state = load(numbers)
    const { needs, of } = QUIET
    const enough = { had: state.quietSeconds, needs, of }
    return judge(state, HEALTH_RULE, { ...question, minSamples: 0 }, { safe: {}, enough })
  },
}
