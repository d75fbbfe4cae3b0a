import type { Args, TemplateScope, TemplateUse } from '../api/analysis/analysis.ts'
import { malformed } from '../api/analysis/decode.ts'
import { type CompleteAnalysis, metricWithDefaults } from '../api/analysis/defaults.ts'
import type { Metric } from '../api/analysis/metric.ts'
import { MAX_METRICS, METRIC } from '../api/analysis/structures.ts'
import { ABSENT, type Known } from '../api/known.ts'
import { ANALYSIS_PROVIDER, ANALYSIS_TEMPLATE, CLUSTER_ANALYSIS_TEMPLATE } from '../api/names.ts'
import type { FieldError } from '../api/types.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { AnalysisProvider } from './kinds/provider.ts'
import type { AnalysisTemplate, TemplateSpec } from './kinds/template.ts'
import { filled } from './placeholders.ts'
import { type MetricRuleInput, metricErrors, needsProvider } from './rules.ts'
import { withTexts } from './texts.ts'

/** The objects that an analysis names. */
export interface AnalysisSources {
  readonly template: (scope: TemplateScope, name: string) => Known<AnalysisTemplate>
  readonly provider: (name: string) => Known<AnalysisProvider>
  /** the names of the providers that the namespace may use; none where its labels are not known */
  readonly usableProviders: () => readonly string[]
  /** of the experiment; undefined: its labels are not known */
  readonly namespace: MetricRuleInput['namespace']
}

/** The metrics of an analysis, and what is wrong with them. */
export interface ResolvedAnalysis {
  /** with all defaults and args, those of templates first; what is wrong is left out */
  readonly metrics: readonly Metric[]
  /** the author's mistakes */
  readonly errors: readonly FieldError[]
  /** what is not there, or could not be read: the analysis waits for it */
  readonly missing: readonly string[]
  /** every provider that is asked, also by metrics that are left out, but not Kubernetes itself */
  readonly providers: readonly ProviderRef[]
}

/** The name of a provider, and which field asks it. */
export interface ProviderRef {
  readonly field: string
  readonly name: string
}

/** A metric and where it comes from. */
interface Placed {
  readonly metric: Metric
  /** a member of `spec.analysis.metrics`, or of `spec.analysis.templates` */
  readonly field: string
  readonly template?: string
}

interface Part {
  readonly providers: readonly ProviderRef[]
  readonly placed: readonly Placed[]
  readonly errors: readonly FieldError[]
  readonly missing: readonly string[]
}

/** The metrics of an analysis, with those of its templates. Pure: the same spec and objects give the same metrics. */
export function resolveAnalysis(spec: CompleteAnalysis, sources: AnalysisSources): ResolvedAnalysis {
  const own = spec.metrics.map((metric, index): Placed => ({ metric, field: `spec.analysis.metrics[${index}]` }))
  const templates = spec.templates.map((use, index) => usedTemplate(use, `spec.analysis.templates[${index}]`, sources))
  const parts = [...templates, ownPart(own, sources)]
  const placed = parts.flatMap((part) => part.placed)
  const missing = parts.flatMap((part) => part.missing)
  const errors = [...parts.flatMap((part) => part.errors), ...whole(placed, missing.length === 0)]
  return {
    metrics: placed.map(({ metric }) => metricWithDefaults(metric)),
    errors,
    missing: [...new Set(missing)],
    providers: parts.flatMap((part) => part.providers),
  }
}

const ownPart = (own: readonly Placed[], sources: AnalysisSources): Part => ({
  placed: own,
  errors: own.flatMap(({ metric, field }) =>
    metricErrors(metric, field, inputOf(metric, sources, { args: undefined, isOfCluster: false })),
  ),
  missing: own.flatMap(({ metric }) => missingProvider(metric, sources)),
  providers: own.flatMap(({ metric, field }) => providerRefs(metric, `${field}.provider`)),
})

const providerRefs = (metric: Metric, field: string): readonly ProviderRef[] =>
  needsProvider(metric) ? [{ field, name: metric.provider }] : []

const inputOf = (
  metric: Metric,
  { provider, namespace }: AnalysisSources,
  of: Pick<MetricRuleInput, 'args' | 'isOfCluster'>,
): MetricRuleInput => ({ ...of, provider: needsProvider(metric) ? provider(metric.provider) : ABSENT, namespace })

/** Only providers that the namespace may use are suggested: developers may not list them. */
function missingProvider(metric: Metric, { provider, usableProviders }: AnalysisSources): readonly string[] {
  if (!needsProvider(metric)) return []
  const { provider: name } = metric
  const meant = () => {
    const usable = didYouMean(name, usableProviders())
    return usable === undefined ? undefined : `did you mean ${JSON.stringify(usable)}?`
  }
  return notKnown(ANALYSIS_PROVIDER.plural, { name, found: provider(name), meant })
}

interface Missing {
  readonly name: string
  readonly found: Known<unknown>
  /** what was probably meant, if the object is not there */
  readonly meant: () => string | undefined
}

/** Why an object is not used. */
function notKnown(plural: string, { name, found, meant }: Missing): readonly string[] {
  const object = `${plural.replace(/s$/, '')}/${name}`
  if (found.is === 'known') return []
  if (found.is === 'unknown') return [`${object}: ${found.because}`]
  return [[`there is no ${object} yet`, meant()].filter((part) => part !== undefined).join('; ')]
}

const NOTHING: Part = { placed: [], errors: [], missing: [], providers: [] }

function usedTemplate(use: TemplateUse, field: string, sources: AnalysisSources): Part {
  const { scope = 'Namespace', name, args = {} } = use
  const found = sources.template(scope, name)
  const isOfCluster = scope === 'Cluster'
  const { plural } = isOfCluster ? CLUSTER_ANALYSIS_TEMPLATE : ANALYSIS_TEMPLATE
  if (found.is !== 'known') {
    const isOther = () => !isOfCluster && sources.template('Cluster', name).is === 'known'
    const meant = () => (isOther() ? 'a cluster template has this name; to use it, set scope: Cluster' : undefined)
    return { ...NOTHING, missing: notKnown(plural, { name, found, meant }) }
  }
  const { spec } = found.value
  const wrongArgs = argErrors(spec, args, `${field}.args`)
  if (wrongArgs.length > 0) return { ...NOTHING, errors: wrongArgs }
  const values = valuesOf(spec, args)
  const names = (spec.args ?? []).map((arg) => arg.name)
  const parts = spec.metrics.map((metric, index): Part => {
    const place = `spec.metrics[${index}]`
    const before = metricErrors(metric, place, inputOf(metric, sources, { args: names, isOfCluster }))
    const resolved = withTexts(metric, ({ text, language }) => filled(text, language, values))
    const errors = before.length > 0 ? before : malformed(resolved, METRIC, place)
    const placed = errors.length > 0 ? [] : [{ metric: resolved, field, template: name }]
    return {
      placed,
      errors: errors.map(inTemplate(plural, name, field)),
      missing: missingProvider(metric, sources),
      providers: providerRefs(metric, field),
    }
  })
  return {
    placed: parts.flatMap((part) => part.placed),
    errors: parts.flatMap((part) => part.errors),
    missing: parts.flatMap((part) => part.missing),
    providers: parts.flatMap((part) => part.providers),
  }
}

/** A mistake of a template, at the field that uses it: the author of the experiment can only use another template. */
const inTemplate =
  (plural: string, name: string, field: string) =>
  (error: FieldError): FieldError => ({
    field,
    message: `${plural.replace(/s$/, '')}/${name}: ${error.field}: ${error.message}`,
    cause: error.cause,
  })

function argErrors({ args = [] }: TemplateSpec, given: Args, field: string): readonly FieldError[] {
  const names = args.map(({ name }) => name)
  const unknown = Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name): FieldError => {
      const meant = didYouMean(name, names)
      const valid = names.length === 0 ? 'the template has no args; remove it' : `valid args: ${names.join(', ')}`
      const remedy = meant === undefined ? valid : `did you mean ${JSON.stringify(meant)}?`
      return { field: `${field}.${name}`, message: `unknown arg; ${remedy}`, cause: 'FieldValueNotSupported' }
    })
  const required = args
    .filter(({ name, value }) => value === undefined && !Object.hasOwn(given, name))
    .map(
      ({ name }): FieldError => ({
        field: `${field}.${name}`,
        message: 'required by the template; set it',
        cause: 'FieldValueRequired',
      }),
    )
  return [...unknown, ...required]
}

const valuesOf = ({ args = [] }: TemplateSpec, given: Args): Readonly<Record<string, string>> =>
  Object.fromEntries(
    args.map(({ name, value = '' }) => [`args.${name}`, Object.hasOwn(given, name) ? (given[name] ?? '') : value]),
  )

/** What is wrong with all metrics together. `isWhole`: nothing is missing. */
function whole(placed: readonly Placed[], isWhole: boolean): readonly FieldError[] {
  const tooMany =
    placed.length > MAX_METRICS
      ? [
          invalid(
            'spec.analysis',
            `has ${placed.length} metrics, those of templates included; remove some, at most ${MAX_METRICS}`,
          ),
        ]
      : []
  const counts = placed.some(({ metric }) => !metric.dryRun)
  const noneCounts =
    isWhole && placed.length > 0 && !counts
      ? [invalid('spec.analysis', 'every metric is a dry run, so nothing counts; add one that does')]
      : []
  return [...tooMany, ...noneCounts, ...placed.flatMap((each, index) => sameName(each, placed.slice(0, index)))]
}

function sameName({ metric, field, template }: Placed, before: readonly Placed[]): readonly FieldError[] {
  const first = before.find((other) => other.metric.name === metric.name)
  if (!first) return []
  const name = JSON.stringify(metric.name)
  const holder =
    first.template === undefined ? 'another metric' : `a metric of template ${JSON.stringify(first.template)}`
  if (template === undefined)
    return [
      {
        field: `${field}.name`,
        message: `${holder} has the name ${name}; choose another one`,
        cause: 'FieldValueDuplicate',
      },
    ]
  return [
    {
      field,
      message: `${holder} has the name ${name} too; use only one of the templates`,
      cause: 'FieldValueDuplicate',
    },
  ]
}

const invalid = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueInvalid' })
