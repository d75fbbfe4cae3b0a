import { MAX_PODS } from '../analysis/run/arms.ts'
import { decisionBounds, isTimed } from '../analysis/run/look.ts'
import { plannedTraffic, powerOf, powerSeconds } from '../analysis/run/power.ts'
import { requestsNeeded } from '../analysis/run/requests.ts'
import { analysisWithDefaults, type CompleteAnalysis } from '../api/analysis/defaults.ts'
import type { Metric } from '../api/analysis/metric.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import { analysisOf } from '../assess/analysis-errors.ts'
import type { Facts } from '../facts/facts.ts'
import type { Situation } from '../situation/situation.ts'
import { count } from '../text/count.ts'
import { duration } from '../text/duration.ts'
import { percent } from '../text/percent.ts'
import { replicasOf } from '../workload/status.ts'

/** What the analysis of `fork` takes, and what it can show. */
export const analysisLines = (situation: Situation, fork: KubeObject): readonly string[] => [
  ...twinLines(situation.facts, fork),
  ...powerLines(situation),
]

const isTwin = ({ experiment }: Facts): boolean => experiment.spec.analysis?.control === 'Twin'

/** The line about the twin, which also takes requests. */
const twinLines = (facts: Facts, fork: KubeObject): readonly string[] =>
  facts.installed.analysis && isTwin(facts) && replicasOf(fork) > 0
    ? [
        `a twin without the override gets as many requests while the analysis goes on: ${count(replicasOf(fork), 'pod')}`,
      ]
    : []

/** What the analysis can show, by the requests in the last analysis run about this source. */
function powerLines({ facts, servingReplicas, run }: Situation): readonly string[] {
  const { experiment, analysis } = facts
  const { metrics } = analysisOf(facts) ?? {}
  const source = knownValue(facts.source)
  if (!analysis?.traffic || !experiment.spec.analysis || !metrics || !source) return []
  const spec = analysisWithDefaults(experiment.spec.analysis)
  const beside = run?.target?.source ?? replicasOf(source.object)
  const [treatment, control] = [servingReplicas, beside].map((n) => Math.min(MAX_PODS, n))
  if (!treatment || !control) return []
  const { pods, compared } = plannedTraffic(analysis.traffic, { treatment, control, isTwin: isTwin(facts) })
  const few = fewRequests(metrics, spec, compared.requestsPerSecond * compared.share)
  const metric = metrics.find(isTimed)
  if (!metric) return few
  const question = decisionBounds({ ...spec, metrics })
  const power = powerOf({ metric, traffic: compared, pods: treatment, times: spec, question })
  const share = percent(treatment, pods)
  const at = `analysis: at ${analysis.traffic.requestsPerSecond} requests/s, of which the fork gets ${share},`
  const within = `within ${duration(powerSeconds(spec))}`
  const found = power
    ? `${at} it can detect slowdowns of +${power.percent}% or more ${within}`
    : `${at} it cannot detect any slowdown ${within}; give the fork more pods, or the analysis more time`
  return [found, ...few]
}

/** Which metrics do not get the requests that a Pass needs, at so many requests to the fork in a second. */
function fewRequests(metrics: readonly Metric[], { maxSeconds, minSamples }: CompleteAnalysis, perSecond: number) {
  if (maxSeconds === undefined) return []
  const requests = Math.floor(perSecond * maxSeconds)
  return metrics.flatMap((metric) => {
    const needed = metric.dryRun ? 0 : requestsNeeded(metric, minSamples)
    if (requests >= needed) return []
    const what = `a Pass of ${metric.name} needs ${needed} requests of the fork, which gets about ${requests} within ${duration(maxSeconds)}`
    return [`analysis: ${what}; give it more pods, or the analysis more time`]
  })
}
