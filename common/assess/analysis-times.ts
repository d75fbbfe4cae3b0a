import { providerWithDefaults } from '../analysis/kinds/provider.ts'
import { type LeastTime, leastTime } from '../analysis/run/pass-needs.ts'
import { analysisWithDefaults, type CompleteAnalysis } from '../api/analysis/defaults.ts'
import type { Metric } from '../api/analysis/metric.ts'
import { untilExpiryMs } from '../api/expiry.ts'
import { ABSENT, knownValue } from '../api/known.ts'
import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { isEqual } from '../json/json.ts'
import { compileSteps } from '../strategy/compile.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'

/** An experiment, and the metrics of its analysis. */
interface TimedRequest extends Pick<SpecFacts, 'experiment' | 'analysis' | 'now'> {
  readonly metrics: readonly Metric[]
}

/** A time that is too short for a Pass, whatever is measured. */
interface Shortage {
  readonly field: 'spec.analysis.maxSeconds' | 'spec.ttlSeconds'
  /** how much it is, and how much would do */
  readonly what: string
  readonly remedy: string
}

/**
 * Why an analysis that has to pass never can: some metric takes more time than `maxSeconds` and `ttlSeconds` leave.
 * What depends on requests is not judged. It has to pass where a step waits for that, and where its pods are taken
 * otherwise; but not if `previous` has the same question and has passed, nor if the experiment ends at once.
 */
export function timeErrors(request: TimedRequest, previous: ExperimentDeployment | undefined): readonly FieldError[] {
  const { experiment, now } = request
  const need = needOfPass(experiment)
  const isSame = previous !== undefined && isEqual(questionOf(previous), questionOf(experiment))
  const hasPassed = isSame && experiment.status?.analysis?.verdict === 'Pass'
  if (!need || hasPassed || untilExpiryMs(experiment, now) <= 0) return []
  return shortages(request, isSame).map(({ field, what, remedy }) => ({
    field,
    message: `${what}; ${remedy}${need.remedy}`,
    cause: 'FieldValueInvalid',
  }))
}

/** Whether its author needs a Pass, and what else there is to do about it. */
function needOfPass({ spec }: ExperimentDeployment): { readonly remedy: string } | undefined {
  if (!spec.analysis) return undefined
  const { onTimeout } = analysisWithDefaults(spec.analysis)
  const run = strategyRunSpec(spec)
  // without a Pass the step goes on, too
  const isAwaited = onTimeout !== 'Promote' && run && compileSteps(run, 'Forward').some(({ is }) => is === 'analysis')
  if (isAwaited) return { remedy: '' }
  return onTimeout === 'RollBack' ? { remedy: ', or onTimeout to Keep' } : undefined
}

/** What makes an analysis another question, as far as its author can say. */
const questionOf = ({ spec }: ExperimentDeployment) => {
  const { sourceRef, overrideSpec, overrideType, analysis } = spec
  if (!analysis) return []
  const { templates, metrics, control, minSamples, alpha, beta, attempt } = analysisWithDefaults(analysis)
  return [sourceRef, overrideSpec, overrideType, templates, metrics, control, minSamples, alpha, beta, attempt]
}

/** The times that are too short. `isSame`: the question is not new, so its analysis may be as old as the experiment. */
export function shortages(request: TimedRequest, isSame: boolean): readonly Shortage[] {
  const { experiment, now } = request
  const { analysis } = experiment.spec
  if (!analysis) return []
  const spec = analysisWithDefaults(analysis)
  const least = leastTimes(request, spec)
  const { maxSeconds = Number.POSITIVE_INFINITY, warmUpSeconds, intervalSeconds } = spec
  const { ttlSeconds = Number.POSITIVE_INFINITY } = experiment.spec
  const leftSeconds = isSame ? ttlSeconds : Math.ceil(untilExpiryMs(experiment, now) / 1_000)
  const spentSeconds = Number.isFinite(ttlSeconds) ? ttlSeconds - leftSeconds : 0
  const lookedSeconds = maxSeconds + lagSeconds(request)
  const tooLong = least.filter(({ seconds, isOfSeconds }) => seconds > (isOfSeconds ? lookedSeconds : maxSeconds))
  const tooLate = least.filter(({ seconds }) => warmUpSeconds + seconds > leftSeconds)
  const most = (of: readonly LeastTime[]) => Math.max(...of.map(({ seconds }) => seconds))
  // the first window may begin an interval late, and the last look is after a whole one
  const untilEnd = (of: readonly LeastTime[]) =>
    spentSeconds + warmUpSeconds + (Math.ceil(most(of) / intervalSeconds) + 2) * intervalSeconds
  return [
    ...tooLong.map(({ name, takes }) => ({
      field: 'spec.analysis.maxSeconds' as const,
      what: `${name} ${takes}, so it can never pass within maxSeconds (${maxSeconds})`,
      remedy: `set maxSeconds to ${most(tooLong)} or more`,
    })),
    ...tooLate.map(({ name, takes }) => ({
      field: 'spec.ttlSeconds' as const,
      what: `${name} ${takes} after warmUpSeconds (${warmUpSeconds}), so it can never pass before the experiment expires`,
      remedy: `set ttlSeconds to ${untilEnd(tooLate)} or more`,
    })),
  ]
}

/** The least times of the metrics that count. */
const leastTimes = ({ metrics }: TimedRequest, spec: CompleteAnalysis): readonly LeastTime[] =>
  metrics.flatMap((metric) => (metric.dryRun ? [] : (leastTime(metric, spec) ?? [])))

/** How late the last look is: pods are Ready until then, as long as the slowest provider takes. */
function lagSeconds({ metrics, analysis }: TimedRequest): number {
  const providers = knownValue(analysis?.providers ?? ABSENT)
  const lags = metrics.map(({ provider }) => {
    const found = knownValue(providers?.get(provider) ?? ABSENT)
    return found ? providerWithDefaults(found.spec).lagSeconds : 0
  })
  return Math.max(0, ...lags)
}
