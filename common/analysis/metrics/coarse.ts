import type { MetricRule } from '../../api/analysis/metric.ts'
import { isEqual } from '../../json/json.ts'
import {
  type CoarseState,
  coarseEvidence,
  type Exceeding,
  exponents,
  noCoarseState,
  withCoarseWindow,
} from '../engine/coarse-latency.ts'
import { added, zeros } from '../engine/mixture.ts'
import { spreadOf } from '../engine/power.ts'
import { FACTORS, oddsSteps } from '../engine/steps.ts'
import type { CoarseCounts, WindowData } from '../window-data.ts'
import { effectBounds, percentMore, withEffectBets } from './effect.ts'
import { judged, needsOfHarm, needsOfSafety } from './judgement.ts'
import type { DecisionBounds, MetricResult } from './metric-engine.ts'
import { comparedPods, withPods } from './pod-bins.ts'
import { chunksOf, joinLists, splitLists } from './state-lists.ts'

/** The most boundaries that a state stores. If there are more, every second or third, and so on, is used. */
const MOST_BOUNDARIES = 24
/** How many bins each pod has. */
const POD_BINS = 10

type CoarseData = WindowData & { readonly is: 'coarse' }

interface State {
  readonly boundaries: readonly number[]
  readonly latency: CoarseState
  readonly rungs: readonly number[]
  readonly pods: readonly number[]
}

function save({ boundaries, latency, rungs, pods }: State): readonly number[] {
  const { pooled, control, calibration, harm, body, tail } = latency
  const places = calibration ? [calibration.body, calibration.tail, ...calibration.live] : []
  return joinLists(
    boundaries,
    [pooled.total, ...pooled.exceeding],
    [control.total, ...control.exceeding],
    places,
    harm.flat(),
    body,
    tail,
    rungs,
    pods,
  )
}

function load(numbers: readonly number[], width: number): State {
  if (numbers.length === 0) return { boundaries: [], latency: noCoarseState(width), rungs: [], pods: [] }
  const [
    boundaries = [],
    pooled = [],
    control = [],
    places = [],
    harm = [],
    body = [],
    tail = [],
    rungs = [],
    pods = [],
  ] = splitLists(numbers)
  const exceedingOf = ([total = 0, ...exceeding]: readonly number[]): Exceeding => ({ total, exceeding })
  const [bodyAt, tailAt, ...live] = places
  const calibration = bodyAt === undefined || tailAt === undefined ? undefined : { body: bodyAt, tail: tailAt, live }
  const latency = {
    pooled: exceedingOf(pooled),
    control: exceedingOf(control),
    ...(calibration ? { calibration } : {}),
    harm: chunksOf(harm, FACTORS.length),
    body,
    tail,
  }
  return { boundaries, latency, rungs, pods }
}

/** `data` with at most as many boundaries as a state has room for. */
function thinned({ boundaries, treatment, control }: CoarseData) {
  const every = Math.ceil(boundaries.length / MOST_BOUNDARIES)
  const kept = <T>(list: readonly T[]) => list.filter((_, index) => index % every === every - 1)
  const arm = (counts: readonly CoarseCounts[]) => counts.map((each) => ({ ...each, exceeding: kept(each.exceeding) }))
  return { boundaries: kept(boundaries), treatment: arm(treatment), control: arm(control) }
}

const sumOf = (counts: readonly CoarseCounts[], width: number): Exceeding => ({
  exceeding: counts.map(({ exceeding }) => exceeding).reduce(added, zeros(width)),
  total: counts.reduce((sum, { total }) => sum + total, 0),
})

/** One of this many live boundaries is an edge between the bins of pods. */
const spacing = (live: readonly number[]): number => Math.max(1, Math.ceil(live.length / (POD_BINS - 1)))

/** Requests of each pod between the boundaries at `edges`. */
function podBins(counts: readonly CoarseCounts[], edges: readonly number[]) {
  return counts.flatMap(({ pod, exceeding, total }) => {
    if (pod === undefined) return []
    const above = [total, ...edges.map((index) => exceeding[index] ?? 0), 0]
    const bins = Array.from({ length: POD_BINS }, (_, index) => (above[index] ?? 0) - (above[index + 1] ?? 0))
    return [{ pod, bins }]
  })
}

/** Latency of coarse buckets with one more window; undefined if its boundaries differ from the former ones. */
export function foldCoarse(
  numbers: readonly number[],
  data: CoarseData,
  rule: MetricRule,
): readonly number[] | undefined {
  const { boundaries, treatment, control } = thinned(data)
  const width = boundaries.length
  const former = load(numbers, width)
  if (numbers.length > 0 && !isEqual(former.boundaries, boundaries)) return undefined
  const { tolerancePercent = 0, maxRegressionPercent = 0 } = rule
  const margins = { tolerance: tolerancePercent / 100, maxRegression: maxRegressionPercent / 100 }
  const window = { boundaries, treatment: sumOf(treatment, width), control: sumOf(control, width) }
  const latency = withCoarseWindow(former.latency, window, margins)
  const { calibration } = latency
  if (!calibration) return save({ ...former, boundaries, latency })
  const { body } = calibration
  const slopes = exponents(former.latency.control, boundaries, body)
  const counts = {
    events: window.treatment.exceeding[body] ?? 0,
    exposure: window.treatment.total,
    controlEvents: window.control.exceeding[body] ?? 0,
    controlExposure: window.control.total,
  }
  const rungs = withEffectBets(former.rungs, (margin, side) =>
    oddsSteps(counts, (1 + margin) ** (margin < 0 === (side === 1) ? slopes.least : slopes.most), side),
  )
  const edges = calibration.live.filter((_, index) => index % spacing(calibration.live) === 0)
  const pods = withPods(
    former.pods,
    { treatment: podBins(treatment, edges), control: podBins(control, edges) },
    POD_BINS,
  )
  return save({ boundaries, latency, rungs, pods })
}

/** The result of all windows of coarse buckets. */
export function judgeCoarse(numbers: readonly number[], question: DecisionBounds): MetricResult {
  const { boundaries, latency, rungs, pods } = load(numbers, 0)
  const { pooled, control, calibration } = latency
  const { harm, body, tail, parts } = coarseEvidence(latency)
  const treatment = {
    exceeding: pooled.exceeding.map((count, index) => count - (control.exceeding[index] ?? 0)),
    total: pooled.total - control.total,
  }
  const [own, others] = [timeAt(treatment, 0.5, boundaries), timeAt(control, 0.5, boundaries)]
  const estimate = own === undefined || others === undefined ? undefined : percentMore(own, others)
  const loudest = Math.floor(parts.indexOf(Math.max(...parts)) / spacing(calibration?.live ?? []))
  return judged(
    {
      harm,
      safe: { body, tail },
      parts,
      samples: { treatment: treatment.total, control: control.total },
      effect: {
        ...(estimate === undefined ? {} : { estimate }),
        ...effectBounds(rungs, needsOfHarm(question), needsOfSafety(question)),
        of: 'median',
      },
      spread: spreadOf(others, timeAt(control, 0.9, boundaries)),
      pods: () => comparedPods(pods, POD_BINS, { by: 'share', above: loudest }, question.subject),
    },
    question,
  )
}

/** The quantile `part` of the times, interpolated between two boundaries; undefined if it is outside of all of them. */
function timeAt({ exceeding, total }: Exceeding, part: number, boundaries: readonly number[]): number | undefined {
  const above = total - part * total
  const upper = exceeding.findIndex((count) => count <= above)
  const [low, high] = [boundaries[upper - 1], boundaries[upper]]
  const [more, fewer] = [exceeding[upper - 1], exceeding[upper]]
  if (low === undefined || high === undefined || more === undefined || fewer === undefined) return undefined
  return low * (high / low) ** ((more - above) / (more - fewer))
}
