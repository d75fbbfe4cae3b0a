import { type AskedProvider, type ResolvedAnalysis, resolveAnalysis } from '../analysis/template.ts'
import { analysisWithDefaults } from '../api/analysis/defaults.ts'
import { warning } from '../api/conditions.ts'
import { ABSENT, type Known } from '../api/known.ts'
import type { FieldError, Warning } from '../api/types.ts'
import { clauses } from '../text/fitted.ts'
import type { ByName, SpecFacts } from './facts.ts'

type Asking = Pick<SpecFacts, 'experiment' | 'analysis'>

/** What the analysis of an experiment asks; undefined: it has none, or the component "analysis" is not installed. */
export function analysisOf({ experiment, analysis }: Asking): ResolvedAnalysis | undefined {
  if (!experiment.spec.analysis || !analysis) return undefined
  const { templates, clusterTemplates, providers, namespace } = analysis
  return resolveAnalysis(analysisWithDefaults(experiment.spec.analysis), {
    template: (scope, name) => named(scope === 'Cluster' ? clusterTemplates : templates, name),
    provider: (name) => named(providers, name),
    namespace,
  })
}

const named = <T>(all: Known<ByName<T>>, name: string): Known<T> =>
  all.is === 'known' ? (all.value.get(name) ?? ABSENT) : all

/** The author's mistakes in `spec.analysis`, as far as its templates and providers are known. */
export const analysisErrors = (facts: Asking): readonly FieldError[] => analysisOf(facts)?.errors ?? []

/** What the analysis waits for: templates and providers that are not there, or could not be read. */
export const analysisWarnings = (facts: Asking): readonly Warning[] =>
  (analysisOf(facts)?.missing ?? []).map((text) => warning('AnalysisNotReady', ...clauses(text)))

/** The providers that the analysis asks, for policies; undefined: it has none. */
export const askedProviders = (facts: Asking): readonly AskedProvider[] | undefined => analysisOf(facts)?.providers
