import type { MetricRule } from '../../api/analysis/metric.ts'
import type { MetricEngine } from './metric-engine.ts'
import { joinLists, splitLists } from './state-lists.ts'

const isInside = (
  value: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: MetricRule,
): boolean => value >= min && value <= max

const OF = ' windows inside of its bounds'

/** Bounds of the fork's own value, as Argo Rollouts and Flagger have them. It bounds no error. */
export const THRESHOLD: MetricEngine = {
  version: 1,
  isBounded: false,
  leastForPass: ({ successCount = 1 }) => ({ needs: successCount, unit: 'windows', of: OF }),
  fold: (numbers, data, rule) => {
    if (data.is !== 'treatmentValue') return undefined
    const [[violations = 0, inside = 0, windows = 0] = []] = splitLists(numbers)
    return joinLists(
      isInside(data.treatment, rule) ? [0, inside + 1, windows + 1] : [violations + 1, inside, windows + 1],
    )
  },
  judge: (numbers, { failureLimit = 0, successCount = 1 }) => {
    const [[violations = 0, inside = 0, windows = 0] = []] = splitLists(numbers)
    const verdict = violations > failureLimit ? 'Fail' : violations === 0 && inside >= successCount ? 'Pass' : 'Wait'
    const enough = { had: inside, needs: successCount, of: OF }
    return { verdict, doPodsDiffer: false, samples: { treatment: windows, control: 0 }, safe: [], enough }
  },
}
