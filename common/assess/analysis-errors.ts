import { type ProviderRef, type ResolvedAnalysis, resolveAnalysis } from '../analysis/template.ts'
import { analysisWithDefaults, type CompleteAnalysis } from '../api/analysis/defaults.ts'
import type { Metric, MetricKind } from '../api/analysis/metric.ts'
import { warning } from '../api/conditions.ts'
import { withDefaults } from '../api/defaults.ts'
import { ABSENT, type Known } from '../api/known.ts'
import type { ExperimentDeployment, FieldError, Warning } from '../api/types.ts'
import type { ByName, SpecFacts } from '../facts/facts.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { clauses } from '../text/fitted.ts'
import { allowedProviders } from './allowed-providers.ts'
import { shortages, timeErrors } from './analysis-times.ts'

type AnalysisRequest = Pick<SpecFacts, 'experiment' | 'analysis'>
type TimedRequest = AnalysisRequest & Pick<SpecFacts, 'now'>

/** What the analysis of an experiment asks; undefined: it has none, or the component "analysis" is not installed. */
export function analysisOf({ experiment, analysis }: AnalysisRequest): ResolvedAnalysis | undefined {
  if (!experiment.spec.analysis || !analysis) return undefined
  const { templates, clusterTemplates, providers, namespace } = analysis
  const resolved = resolveAnalysis(analysisWithDefaults(experiment.spec.analysis), {
    template: (scope, name) => named(scope === 'Cluster' ? clusterTemplates : templates, name),
    provider: (name) => named(providers, name),
    usableProviders: () => allowedProviders(analysis),
    namespace,
  })
  return { ...resolved, errors: [...twinErrors(experiment.spec), ...resolved.errors] }
}

/** The pods of a fork that is gated get their requests step by step, and those of a twin would get theirs at once. */
const twinErrors = (spec: AnalysisRequest['experiment']['spec']): readonly FieldError[] =>
  spec.analysis?.control === 'Twin' && strategyRunSpec(spec)?.isGated
    ? [
        {
          field: 'spec.analysis.control',
          message:
            'Twin needs a fork whose pods get requests as soon as they are ready; set Source, or strategy.canary without traffic.mode Gated',
          cause: 'FieldValueInvalid',
        },
      ]
    : []

const named = <T>(all: Known<ByName<T>>, name: string): Known<T> =>
  all.is === 'known' ? (all.value.get(name) ?? ABSENT) : all

/** The author's mistakes in `spec.analysis`, as far as its templates and providers are known. */
export const analysisErrors = (facts: AnalysisRequest): readonly FieldError[] => analysisOf(facts)?.errors ?? []

/** Why an analysis that has to pass never can, if `previous` did not have the same question with a Pass. */
export const analysisTimeErrors = (facts: TimedRequest, previous: ExperimentDeployment | undefined) =>
  timeErrors({ ...facts, metrics: analysisOf(facts)?.metrics ?? [] }, previous)

/**
 * What the analysis waits for: templates and providers that are not there, or could not be read. And what keeps it from
 * showing anything, or makes it do more than its author may mean.
 */
export function analysisWarnings(facts: TimedRequest): readonly Warning[] {
  const resolved = analysisOf(facts)
  const { analysis, ...spec } = facts.experiment.spec
  if (!resolved || !analysis) return []
  const missing = resolved.missing.map((text) => warning('AnalysisNotReady', ...clauses(text)))
  const times = analysisWithDefaults(analysis)
  const short = shortages({ ...facts, metrics: resolved.metrics }, true)
  const compares = resolved.metrics.some(({ kind }) => COMPARED.has(kind))
  const hasOnePod = compares && !spec.strategy && withDefaults(facts.experiment.spec).replicas === 1
  return [
    ...missing,
    ...short.map(({ what, remedy }) => warning('AnalysisTooShort', what, `; ${remedy}`)),
    ...(short.some(({ field }) => field === 'spec.ttlSeconds') ? [] : tooShort(times, spec.ttlSeconds)),
    ...(hasOnePod
      ? [warning('OnePod', 'a slow pod and a slow version look the same if there is one pod', '; set replicas to 2')]
      : []),
    ...resolved.metrics.flatMap(overlapping),
    ...(times.onTimeout === 'Promote'
      ? [
          warning(
            'TimeoutPromotes',
            'passes when maxSeconds are over, although nothing was shown',
            '; use RollBack or Keep',
          ),
        ]
      : []),
  ]
}

/** The kinds that compare requests of pods. */
const COMPARED: ReadonlySet<MetricKind> = new Set(['Latency', 'ErrorRate', 'Ratio'])

/** An experiment that expires before its analysis ends. */
function tooShort({ warmUpSeconds, maxSeconds, intervalSeconds }: CompleteAnalysis, ttlSeconds: number | undefined) {
  const needed = warmUpSeconds + (maxSeconds ?? intervalSeconds)
  if (ttlSeconds === undefined || ttlSeconds >= needed) return []
  const what = maxSeconds === undefined ? 'warmUpSeconds and one window take' : 'warmUpSeconds and maxSeconds take'
  return [warning('AnalysisTooShort', `expires after ${ttlSeconds}s, and ${what} ${needed}s`, '; raise ttlSeconds')]
}

/** What stands in quotes in PromQL, and a comment. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|#[^\n]*/g
const RANGE = /\[([^\]]*)\]/g
/** The window itself, also as a subquery. */
const WINDOW = /^\s*\{\{windowSeconds\}\}s\s*(?::|$)/

/**
 * A Value metric whose query looks back beyond its window. A single disturbance is then in many windows, which are
 * counted as if each were evidence of its own.
 */
function overlapping({ name, kind, dryRun, prometheus }: Metric): readonly Warning[] {
  if (kind !== 'Value' || dryRun) return []
  const ranges = [...(prometheus?.query ?? '').replace(QUOTED, '').matchAll(RANGE)]
  if (ranges.every(([, range = '']) => WINDOW.test(range))) return []
  const message = `${name}: a range in its query is not the window, so alpha and beta do not hold`
  return [warning('WindowsOverlap', message, '; write [{{windowSeconds}}s]')]
}

/** The providers that the analysis asks, for policies; undefined: it has none. */
export const providerRefs = (facts: AnalysisRequest): readonly ProviderRef[] | undefined => analysisOf(facts)?.providers
