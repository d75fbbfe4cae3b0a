import { KUBERNETES, type Metric, type QueryBlocks } from '../api/analysis/metric.ts'
import { MATCHER_PATTERN } from '../api/analysis/patterns.ts'
import { type Known, knownValue } from '../api/known.ts'
import { selects } from '../api/label-selector.ts'
import type { Labels } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import { formatPath, type Path } from '../json/field-path.ts'
import { type AnalysisProvider, type ProviderType, providerWithDefaults } from './kinds/provider.ts'
import { placeholderErrors } from './placeholders.ts'
import { textsOf } from './texts.ts'

/** What decides whether a metric may be asked, besides the metric. */
export interface MetricRuleInput {
  /** unknown and absent: what depends on it is not checked */
  readonly provider: Known<AnalysisProvider>
  /** the names of the args of its template; undefined: it is not in a template */
  readonly args: readonly string[] | undefined
  /** whether an admin wrote it, in a cluster template */
  readonly isOfCluster: boolean
  /** the labels of the namespace of the experiment; undefined: not known, or it has none yet */
  readonly namespace?: { readonly name: string; readonly labels: Labels } | undefined
}

type Rule = (metric: Metric, input: MetricRuleInput) => readonly RuleError[]

interface RuleError {
  readonly path: Path
  readonly message: string
  readonly cause: FieldError['cause']
}

const invalid = (path: Path, message: string): RuleError => ({ path, message, cause: 'FieldValueInvalid' })
const forbidden = (path: Path, message: string): RuleError => ({ path, message, cause: 'FieldValueForbidden' })

const placeholdersAreSound: Rule = (metric, { args }) =>
  textsOf(metric).flatMap(({ path, language, text }) =>
    placeholderErrors(text, language, args).map((message) => invalid(path, message)),
  )

const MATCHER = new RegExp(MATCHER_PATTERN)

/** The selector has the labels of pod and namespace already: a second one could only widen or empty it. */
const matchersAreOthers: Rule = ({ prometheus }, { provider }) => {
  const { podLabel, namespaceLabel } = providerWithDefaults(knownValue(provider)?.spec ?? ANY_PROMETHEUS)
  return (['eventMatchers', 'matchers'] as const).flatMap((key) =>
    (prometheus?.[key] ?? []).flatMap((matcher, index) => {
      const [, label = ''] = MATCHER.exec(matcher) ?? []
      const path = ['prometheus', key, index]
      if (label === '') return [invalid(path, 'must be a matcher, such as route="/cart"; correct it')]
      return label === podLabel || label === namespaceLabel
        ? [forbidden(path, `the label ${label} is always set by the query itself; remove it`)]
        : []
    }),
  )
}

/** The pods are compared anyway, and a boundary of a histogram is no sort of requests. */
const strataAreOfRequests: Rule = ({ prometheus }, { provider }) => {
  const { podLabel, namespaceLabel } = providerWithDefaults(knownValue(provider)?.spec ?? ANY_PROMETHEUS)
  const { stratifyBy } = prometheus ?? {}
  if (stratifyBy === undefined) return []
  const path = ['prometheus', 'stratifyBy']
  const isOther = stratifyBy === 'le' || stratifyBy.startsWith('__')
  if (!isOther && stratifyBy !== podLabel && stratifyBy !== namespaceLabel) return []
  return [forbidden(path, `the label ${stratifyBy} does not tell requests apart; name one that does, such as route`)]
}

const ANY_PROMETHEUS = { type: 'Prometheus', namespaceSelector: {} } as const

const BLOCK_OF: Readonly<Record<ProviderType, keyof QueryBlocks>> = {
  Prometheus: 'prometheus',
  NewRelic: 'newRelic',
  Web: 'web',
  Plugin: 'plugin',
}

const blockFitsProvider: Rule = (metric, { provider }) => {
  const found = knownValue(provider)
  if (!found) return []
  const block = BLOCK_OF[found.spec.type]
  if (metric[block] !== undefined) return []
  const message = `${JSON.stringify(metric.provider)} is of the type ${found.spec.type}; set ${block}, or name another provider`
  return [invalid(['provider'], message)]
}

const queryIsAllowed: Rule = ({ prometheus, newRelic, provider: name }, { provider, isOfCluster }) => {
  const found = knownValue(provider)
  if (isOfCluster || !found || found.spec.freeQueries) return []
  const message = `queries of your own are not allowed by provider ${JSON.stringify(name)}; use a cluster template, or ask an administrator for freeQueries`
  return [
    ...(prometheus?.query === undefined ? [] : [forbidden(['prometheus', 'query'], message)]),
    ...(newRelic?.nrql === undefined ? [] : [forbidden(['newRelic', 'nrql'], message)]),
  ]
}

const providerIsForNamespace: Rule = ({ provider: name }, { provider, namespace }) => {
  const found = knownValue(provider)
  if (!found || !namespace || selects(found.spec.namespaceSelector, namespace.labels)) return []
  const message = `provider ${JSON.stringify(name)} is not for namespace "${namespace.name}"; name another one, or ask an administrator to select the namespace`
  return [forbidden(['provider'], message)]
}

const RULES: readonly Rule[] = [
  providerIsForNamespace,
  blockFitsProvider,
  placeholdersAreSound,
  matchersAreOthers,
  strataAreOfRequests,
  queryIsAllowed,
]

/**
 * What is wrong with a metric at `field`, as far as its provider is known. Of the rules that need no other object, only
 * those for placeholders are checked here: the CRD has checked the rest.
 */
export const metricErrors = (metric: Metric, field: string, input: MetricRuleInput): readonly FieldError[] =>
  RULES.flatMap((rule) => rule(metric, input)).map(({ path, message, cause }) => ({
    field: formatPath(field, path),
    message,
    cause,
  }))

/** Whether a metric needs an ExperimentAnalysisProvider. `kubernetes` is none. */
export const needsProvider = ({ provider }: Metric): boolean => provider !== KUBERNETES
