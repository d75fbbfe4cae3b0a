import { amount, arrayOf, flag, map, number, object, optional, text, time, whole, word } from '../../json/structure.ts'
import {
  type AnalysisSpec,
  type AnalysisStatus,
  CONTROLS,
  GATED_DEPLOY_WORDS,
  type MetricVerdict,
  NO_DATA_ACTIONS,
  TEMPLATE_SCOPES,
  type TemplateUse,
  TIMEOUT_ACTIONS,
  type TwinRef,
  VERDICTS,
} from './analysis.ts'
import { ANALYSIS_DEFAULTS } from './defaults.ts'
import {
  METRIC_KINDS,
  type Metric,
  type NewRelicQuery,
  type PluginQuery,
  type PrometheusQuery,
  type WebPointers,
  type WebQuery,
} from './metric.ts'
import {
  ARG_VALUE_PATTERN,
  ATTRIBUTE_PATTERN,
  CONDITION_PATTERN,
  LABEL_PATTERN,
  LINE_OR_NONE_PATTERN,
  LINE_PATTERN,
  MATCHER_PATTERN,
  NAME_PATTERN,
  OBJECT_NAME_PATTERN,
  PATH_PATTERN,
  POINTER_PATTERN,
  SERIES_PATTERN,
} from './patterns.ts'

/** The most templates that an analysis can use. */
const MAX_TEMPLATES = 4
/** The most metrics of an analysis, those of its templates included. */
export const MAX_METRICS = 8
/** The most args of a template or a plugin, and the most params of a web query. */
export const MAX_ARGS = 16
/** The most characters of a query that a user wrote. */
const MAX_QUERY = 2_048

/** The samples of each arm that a MannWhitney metric can keep: both arms fit into the state of an analysis run. */
export const MAX_SAMPLES = 450

const MAX_SECONDS = 31_536_000 // a year, as spec.ttlSeconds

/** The name of an object. */
export const objectName = text(253, OBJECT_NAME_PATTERN, 'the name of an object')
/** The value of an arg of a template. It may be empty. */
export const argValue = text(253, ARG_VALUE_PATTERN, 'letters, digits and _./:@=+,- and spaces, at most 253')
const query = text(MAX_QUERY)
const matchers = arrayOf(text(256, MATCHER_PATTERN, 'a matcher, such as route="/cart"'), 16)
const series = text(200, SERIES_PATTERN, 'the name of a metric of Prometheus')
const pointer = text(256, POINTER_PATTERN, 'a JSON pointer, such as /data/durations')
const percent = (max: number) => number(0, max)

const PROMETHEUS = object<PrometheusQuery>({
  histogram: optional(series),
  events: optional(series),
  eventMatchers: optional(matchers),
  total: optional(series),
  query: optional(query),
  matchers: optional(matchers),
  stratifyBy: optional(text(128, LABEL_PATTERN, 'the name of a label of Prometheus')),
})

const NEW_RELIC = object<NewRelicQuery>({
  appName: optional(text(256, LINE_PATTERN, 'the name of an application')),
  testPath: optional(text(1_024, LINE_PATTERN, 'the path of requests')),
  errors: optional(text(512, CONDITION_PATTERN, 'a condition, such as error is true')),
  podAttribute: optional(text(128, ATTRIBUTE_PATTERN, 'the name of an attribute')),
  nrql: optional(query),
})

const POINTERS = object<WebPointers>({
  samples: optional(pointer),
  boundaries: optional(pointer),
  exceeding: optional(pointer),
  total: optional(pointer),
  events: optional(pointer),
  value: optional(pointer),
})

const WEB = object<WebQuery>({
  path: text(1_024, PATH_PATTERN, 'a path, such as /v1/stats'),
  params: optional(map(text(1_024, LINE_OR_NONE_PATTERN, 'a text on one line'), MAX_ARGS)),
  pointers: POINTERS,
})

const PLUGIN = object<PluginQuery>({
  args: optional(map(text(1_024, LINE_OR_NONE_PATTERN, 'a text on one line'), MAX_ARGS)),
})

/** A metric as users write it. */
export const METRIC = object<Metric>({
  name: text(63, NAME_PATTERN, 'a name of lower-case letters, digits and -'),
  kind: word(METRIC_KINDS),
  provider: objectName,
  dryRun: optional(flag),
  tolerancePercent: optional(percent(1_000)),
  maxRegressionPercent: optional(percent(10_000)),
  acceptablePercent: optional(percent(100)),
  higherIsBetter: optional(flag),
  min: optional(number(-1e15, 1e15)),
  max: optional(number(-1e15, 1e15)),
  failureLimit: optional(whole(0, 1_000)),
  successCount: optional(whole(1, 1_000)),
  minSamples: optional(whole(1, MAX_SAMPLES)),
  zScoreThreshold: optional(number(0, 10)),
  harmThreshold: optional(number(0.01, 1_000)),
  prometheus: optional(PROMETHEUS),
  newRelic: optional(NEW_RELIC),
  web: optional(WEB),
  plugin: optional(PLUGIN),
})

const TEMPLATE_USE = object<TemplateUse>({
  name: objectName,
  scope: optional(word(TEMPLATE_SCOPES), 'Namespace'),
  args: optional(map(argValue, MAX_ARGS)),
})

const DEFAULTS = ANALYSIS_DEFAULTS

/** `spec.analysis` */
export const ANALYSIS = object<AnalysisSpec>({
  templates: optional(arrayOf(TEMPLATE_USE, MAX_TEMPLATES)),
  metrics: optional(arrayOf(METRIC, MAX_METRICS)),
  control: optional(word(CONTROLS), DEFAULTS.control),
  intervalSeconds: optional(whole(10, 3_600), DEFAULTS.intervalSeconds),
  warmUpSeconds: optional(whole(0, 3_600), DEFAULTS.warmUpSeconds),
  maxSeconds: optional(whole(10, MAX_SECONDS)),
  noDataSeconds: optional(whole(10, MAX_SECONDS), DEFAULTS.noDataSeconds),
  minSamples: optional(whole(1, 1_000_000_000), DEFAULTS.minSamples),
  alpha: optional(number(0.0001, 0.2), DEFAULTS.alpha),
  beta: optional(number(0.0001, 0.2), DEFAULTS.beta),
  onTimeout: optional(word(TIMEOUT_ACTIONS), DEFAULTS.onTimeout),
  onNoData: optional(word(NO_DATA_ACTIONS), DEFAULTS.onNoData),
  continueAfterPass: optional(flag, DEFAULTS.continueAfterPass),
  attempt: optional(whole(1, 2_147_483_647), DEFAULTS.attempt),
})

const METRIC_VERDICT = object<MetricVerdict>({ name: text(63), verdict: word(VERDICTS) })

const TWIN_REF = object<TwinRef>({ name: text(253), uid: text(64), generation: amount })

/** `status.analysis` of an experiment */
export const ANALYSIS_STATUS = object<AnalysisStatus>({
  run: optional(text(253)),
  verdict: word(VERDICTS),
  reason: text(1_024),
  message: text(1_024),
  since: time,
  attempt: whole(1, 2_147_483_647),
  metrics: optional(arrayOf(METRIC_VERDICT, MAX_METRICS)),
  gatedDeployStatus: optional(word(GATED_DEPLOY_WORDS)),
  twin: optional(TWIN_REF),
})
