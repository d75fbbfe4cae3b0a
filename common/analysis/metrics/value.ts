import { added, mixture, zeros } from '../engine/mixture.ts'
import { type BetDirection, STAKES, signSteps } from '../engine/steps.ts'
import { percentMore } from './effect.ts'
import { judged } from './judgement.ts'
import type { MetricEngine } from './metric-engine.ts'
import { joinLists, splitLists } from './state-lists.ts'

/** With fewer windows harm is never shown. At the default alpha six windows cannot show it, whatever their values. */
const LEAST_WINDOWS = 7

interface State {
  readonly windows: number
  /** sums of the values of both arms */
  readonly treatment: number
  readonly control: number
  readonly harm: readonly number[]
  readonly safe: readonly number[]
}

function load(numbers: readonly number[]): State {
  const none = zeros(STAKES.length)
  const [[windows = 0, treatment = 0, control = 0] = [], harm = none, safe = none] = splitLists(numbers)
  return { windows, treatment, control, harm, safe }
}

/** One number of each arm. It bounds α and β if without harm at most half of the windows are worse. */
export const VALUE: MetricEngine = {
  isBounded: true,
  fold: (numbers, data, rule) => {
    if (data.is !== 'value') return undefined
    const state = load(numbers)
    const [own, others] = rule.higherIsBetter ? [data.control, data.treatment] : [data.treatment, data.control]
    const steps = (percent: number | undefined, side: BetDirection) =>
      signSteps(own, others, (percent ?? 0) / 100, side)
    return joinLists(
      [state.windows + 1, state.treatment + data.treatment, state.control + data.control],
      added(state.harm, steps(rule.tolerancePercent, 1)),
      added(state.safe, steps(rule.maxRegressionPercent, -1)),
    )
  },
  judge: (numbers, { higherIsBetter = false }, question) => {
    const { windows, treatment, control, harm, safe } = load(numbers)
    const isEnough = windows >= LEAST_WINDOWS
    const estimate = higherIsBetter ? percentMore(control, treatment) : percentMore(treatment, control)
    const log = isEnough ? mixture(harm) : Math.min(0, mixture(harm))
    return judged(
      {
        harm: log,
        safe: { value: mixture(safe) },
        parts: [log],
        samples: { treatment: windows, control: windows },
        effect: { ...(estimate === undefined ? {} : { estimate }), of: 'value' },
        isEnough,
      },
      { ...question, minSamples: 0 },
    )
  },
}
