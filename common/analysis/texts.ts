import type { Metric } from '../api/analysis/metric.ts'
import type { Path } from '../json/field-path.ts'
import { printable } from '../text/printable.ts'
import type { Language } from './placeholders.ts'

/** A text of a metric in which placeholders may stand. */
interface MetricText {
  readonly path: Path
  readonly language: Language
  readonly text: string
}

type Mapping = (text: MetricText) => string

/**
 * The metric with `change` made to each of its texts in which placeholders may stand. The names of series and
 * attributes are not among them: their patterns allow no placeholder.
 */
export function withTexts(metric: Metric, change: Mapping): Metric {
  const { prometheus, newRelic, web, plugin } = metric
  return {
    ...metric,
    ...(prometheus && { prometheus: changed(prometheus, ['prometheus'], PROMETHEUS, change) }),
    ...(newRelic && { newRelic: changed(newRelic, ['newRelic'], NEW_RELIC, change) }),
    ...(web && { web: changed(web, ['web'], WEB, change) }),
    ...(plugin && { plugin: changed(plugin, ['plugin'], PLUGIN, change) }),
  }
}

/** Every text of a metric in which placeholders may stand, in the order of the manifest. */
export function textsOf(metric: Metric): readonly MetricText[] {
  const texts: MetricText[] = []
  withTexts(metric, (text) => {
    texts.push(text)
    return text.text
  })
  return texts
}

/**
 * What a provider is asked for, in few words: the query, or the name of what is counted. Who wrote the metric finds a
 * mistake in it.
 */
export function queryText({ prometheus, newRelic, web, provider }: Metric): string {
  const { query, histogram, total = '', matchers = [] } = prometheus ?? {}
  const chosen = matchers.length === 0 ? '' : `{${matchers.join(',')}}`
  if (prometheus) return printable(query ?? `${histogram ?? total}${chosen}`)
  if (newRelic) return printable(newRelic.nrql ?? [newRelic.appName, newRelic.testPath ?? []].flat().join(' '))
  return printable(web?.path ?? provider)
}

type Languages = Readonly<Record<string, Language>>

const PROMETHEUS: Languages = { eventMatchers: 'PromQL', query: 'PromQL', matchers: 'PromQL' }
const NEW_RELIC: Languages = { appName: 'Plain', testPath: 'Plain', errors: 'NRQL', nrql: 'NRQL' }
const WEB: Languages = { path: 'Path', params: 'Plain' }
const PLUGIN: Languages = { args: 'Plain' }

const changed = <T extends object>(block: T, path: Path, languages: Languages, change: Mapping): T =>
  Object.fromEntries(
    Object.entries(block).map(([key, value]) => {
      const language = languages[key]
      return [key, language === undefined ? value : mapped(value, [...path, key], language, change)]
    }),
  ) as T

/** A text, or each text of a list or an object. */
function mapped(value: unknown, path: Path, language: Language, change: Mapping): unknown {
  if (typeof value === 'string') return change({ path, language, text: value })
  if (Array.isArray(value)) return value.map((item, index) => mapped(item, [...path, index], language, change))
  return Object.fromEntries(
    Object.entries(value as object).map(([key, item]) => [key, mapped(item, [...path, key], language, change)]),
  )
}
