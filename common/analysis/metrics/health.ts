import type { MetricRule } from '../../api/analysis/metric.ts'
import type { LeastForPass, MetricEngine } from './metric-engine.ts'
import { foldRates, judgeRates } from './rate.ts'

/** Restarts are too rare to bet on safety. So a fork may pass after it was Ready for this long without a restart. */
const QUIET: LeastForPass = { needs: 300, unit: 'seconds', of: 's without a restart' }
/** The rule of Health, which has no fields for it: as for rates, but no rate of restarts is acceptable in itself. */
const RULE: MetricRule = { tolerancePercent: 20, maxRegressionPercent: 100, acceptablePercent: 0 }

/** Restarts of containers, among seconds of pods. They need no number of requests. */
export const HEALTH_ENGINE: MetricEngine = {
  version: 2,
  isBounded: true,
  leastForPass: () => QUIET,
  fold: (state, data) => foldRates(state, data, RULE),
  judge: (numbers, _rule, question) => {
    const { needs, of } = QUIET
    const { perPod: _none, ...result } = judgeRates(numbers, RULE, { ...question, minSamples: 0 }, (quietSeconds) => ({
      safe: {},
      enough: { had: quietSeconds, needs, of },
    }))
    return result
  },
}
