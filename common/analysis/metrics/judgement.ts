import { effectBounds, withEstimateInside } from './effect.ts'
import type { Amount, DecisionBounds, Effect, MetricResult } from './metric-engine.ts'
import { knownPlaces, type Places } from './places.ts'

/** A Pass needs that the evidence of each part of harm is at most this, so that nothing suspected of harm passes. */
const NOT_SUSPECTED = Math.log(4)

/** Evidence of all pods, and without any one of those that could explain it. */
export interface Checked {
  readonly all: number
  readonly without: readonly number[]
  /** how many pods could explain it, also those that have gone; 0: the data name none */
  readonly places: number
}

/** Evidence that does not tell pods apart. */
export const unchecked = (log: number): Checked => ({ all: log, without: [], places: 0 })

/**
 * `evidence` by place, checked without each place. A place is not left out if it is the only one that ever had a pod:
 * of the only pod nobody can say whether it is slow, or its version. That the others are not here says nothing about
 * the one that is: it may have been found bad beside them, and a window without them may have missed them.
 */
export function checked(evidence: Pick<Checked, 'all' | 'without'>, places: Places): Checked {
  const known = knownPlaces(places)
  const others = (place: number) => known.size - Number(known.has(place))
  return { ...evidence, without: evidence.without.filter((_, place) => others(place) > 0), places: known.size }
}

/** What the windows show, as logarithms of e. */
export interface Shown {
  readonly harm: Checked
  /** each has to be shown */
  readonly safe: Readonly<Record<string, Checked>>
  /** the single bets of which harm is composed */
  readonly parts: readonly number[]
  readonly samples: MetricResult['samples']
  readonly perPod?: MetricResult['perPod'] | undefined
  readonly effect?: Effect | undefined
  readonly spread?: number | undefined
  /** what `minSamples` does not count; absent: nothing more is needed */
  readonly enough?: Amount
}

/** How much evidence of harm is needed. α is shared by all metrics that have a bound. */
export const needsOfHarm = ({ alpha, metrics }: DecisionBounds): number => Math.log(metrics / alpha)

/** How much evidence of safety is needed, of each part. Every metric has to pass, so β is not shared. */
export const needsOfSafety = ({ beta }: Pick<DecisionBounds, 'beta'>): number => Math.log(1 / beta)

/** The effect on the median of the times: `estimate`, in percent, and what the bets in `rungs` show. */
export const medianEffect = (
  estimate: number | undefined,
  rungs: readonly number[],
  question: DecisionBounds,
): Effect => ({
  ...(estimate === undefined ? {} : { estimate }),
  ...effectBounds(rungs, { harm: needsOfHarm(question), safety: needsOfSafety(question) }),
  of: 'median',
})

/**
 * The decision about a metric whose kind bounds its errors. Fail: harm is shown, also without any one pod of the
 * treatment. Pass: every part of safety is shown, also without any one pod of the control, no part of harm is likely,
 * and there are enough samples. Otherwise Wait.
 */
export function judged(shown: Shown, question: DecisionBounds): MetricResult {
  const { harm, samples, perPod, effect, spread, enough } = shown
  const [toFail, toPass] = [needsOfHarm(question), needsOfSafety(question)]
  const safe = Object.entries(shown.safe).map(([part, { all, without }]) => ({
    part,
    logE: Math.min(all, ...without),
    needs: toPass,
  }))
  const isHarm = harm.all >= toFail
  const outer = harm.without.filter((log) => log < toFail).length
  const doPodsDiffer = isHarm && outer > 0
  const isCalm = shown.parts.every((part) => part <= NOT_SUSPECTED)
  const isEnough = !enough || enough.had >= enough.needs
  const isSafe =
    isEnough && isCalm && samples.treatment >= question.minSamples && safe.every(({ logE }) => logE >= toPass)
  const groups = isHarm ? harm.places : isSafe ? leastPlaces(shown.safe) : 0
  return {
    verdict: isHarm ? (doPodsDiffer ? 'Wait' : 'Fail') : isSafe ? 'Pass' : 'Wait',
    doPodsDiffer,
    samples,
    harm: { logE: harm.all, needs: toFail },
    safe,
    ...(effect ? { effect: withEstimateInside(effect) } : {}),
    ...(spread === undefined ? {} : { spread }),
    ...(groups > 0 ? { pods: { groups, outer: isHarm ? outer : 0 } } : {}),
    ...(perPod ? { perPod } : {}),
    ...(enough ? { enough } : {}),
  }
}

const leastPlaces = (safe: Shown['safe']): number => {
  const places = Object.values(safe).map((part) => part.places)
  return places.length === 0 ? 0 : Math.min(...places)
}
