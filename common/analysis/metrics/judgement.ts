import type { PodsCompared } from '../engine/pods.ts'
import { withEstimateInside } from './effect.ts'
import type { Amount, DecisionBounds, Effect, MetricResult } from './metric-engine.ts'

/** A Pass needs that the evidence of each part of harm is at most this, so that nothing suspected of harm passes. */
const NOT_SUSPECTED = Math.log(4)

/** What the windows show, as logarithms of e. */
export interface Shown {
  readonly harm: number
  /** each has to be shown */
  readonly safe: Readonly<Record<string, number>>
  /** the single bets of which harm is composed */
  readonly parts: readonly number[]
  readonly samples: MetricResult['samples']
  readonly effect?: Effect | undefined
  readonly spread?: number | undefined
  /** called only if harm is shown: whether single pods could explain it */
  readonly pods?: () => PodsCompared | undefined
  /** what `minSamples` does not count; absent: nothing more is needed */
  readonly enough?: Amount
}

/** How much evidence of harm is needed. α is shared by all metrics that have a bound. */
export const needsOfHarm = ({ alpha, metrics }: DecisionBounds): number => Math.log(metrics / alpha)

/** How much evidence of safety is needed, of each part. Every metric has to pass, so β is not shared. */
export const needsOfSafety = ({ beta }: Pick<DecisionBounds, 'beta'>): number => Math.log(1 / beta)

/**
 * The decision about a metric whose kind bounds its errors. Fail: harm is shown, and single pods do not explain it.
 * Pass: every part of safety is shown, no part of harm is likely, and there are enough samples. Otherwise Wait.
 */
export function judged(shown: Shown, question: DecisionBounds): MetricResult {
  const { harm, samples, effect, spread, enough } = shown
  const [toFail, toPass] = [needsOfHarm(question), needsOfSafety(question)]
  const safe = Object.entries(shown.safe).map(([part, logE]) => ({ part, logE, needs: toPass }))
  const isHarm = harm >= toFail
  const pods = isHarm ? shown.pods?.() : undefined
  const doPodsDiffer = pods !== undefined && pods.outer > 0
  const isCalm = shown.parts.every((part) => part <= NOT_SUSPECTED)
  const isEnough = !enough || enough.had >= enough.needs
  const isSafe =
    isEnough && isCalm && samples.treatment >= question.minSamples && safe.every(({ logE }) => logE >= toPass)
  return {
    verdict: isHarm ? (doPodsDiffer ? 'Wait' : 'Fail') : isSafe ? 'Pass' : 'Wait',
    doPodsDiffer,
    samples,
    harm: { logE: harm, needs: toFail },
    safe,
    ...(effect ? { effect: withEstimateInside(effect) } : {}),
    ...(spread === undefined ? {} : { spread }),
    ...(pods ? { pods } : {}),
    ...(enough ? { enough } : {}),
  }
}
