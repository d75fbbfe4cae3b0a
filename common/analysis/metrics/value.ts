import { added, mixture, zeros } from '../engine/mixture.ts'
import { type BetDirection, STAKES, signSteps } from '../engine/steps.ts'
import { percentMore } from './effect.ts'
import { judged, needsOfSafety, unchecked } from './judgement.ts'
import type { DecisionBounds, MetricEngine } from './metric-engine.ts'
import { joinLists, splitLists } from './state-lists.ts'

/** With fewer windows harm is never shown. At the default alpha six windows cannot show it, whatever their values. */
const LEAST_WINDOWS = 7
const OF = ' windows'

/** What the best window adds to each bet on safety: the fork has nothing, and the source has something. */
const BEST = signSteps(0, 1, 0, -1)

/** So many windows that all are as good as can be show safety. Evidence grows with each of them. */
function windowsForPass(question: Pick<DecisionBounds, 'beta'>): number {
  let windows = LEAST_WINDOWS
  while (mixture(BEST.map((step) => windows * step)) < needsOfSafety(question)) windows += 1
  return windows
}

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
  version: 1,
  isBounded: true,
  leastForPass: (_rule, question) => ({ needs: windowsForPass(question), unit: 'windows', of: OF }),
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
    const enough = { had: windows, needs: LEAST_WINDOWS, of: OF }
    const estimate = higherIsBetter ? percentMore(control, treatment) : percentMore(treatment, control)
    const log = windows >= LEAST_WINDOWS ? mixture(harm) : Math.min(0, mixture(harm))
    return judged(
      {
        harm: unchecked(log),
        safe: { value: unchecked(mixture(safe)) },
        parts: [log],
        samples: { treatment: windows, control: windows },
        effect: { ...(estimate === undefined ? {} : { estimate }), of: 'value' },
        enough,
      },
      { ...question, minSamples: 0 },
    )
  },
}
