/** What a metric asks about the fork, compared with the pods of the source or by itself. */
export const METRIC_KINDS = [
  'Latency',
  'ErrorRate',
  'Ratio',
  'Value',
  'Health',
  'Threshold',
  'MannWhitney',
  'Decision',
] as const
export type MetricKind = (typeof METRIC_KINDS)[number]

/** The provider that is always there: what Kubernetes itself says about pods. */
export const KUBERNETES = 'kubernetes'

/** What is asked of Prometheus: a histogram, events of a total, or a query. */
export interface PrometheusQuery {
  /** the name of a histogram without `_bucket` */
  readonly histogram?: string
  /** the name of a counter */
  readonly events?: string
  /** `code=~"5.."`: which of its series count */
  readonly eventMatchers?: readonly string[]
  /** the name of a counter */
  readonly total?: string
  /** PromQL that gives one number */
  readonly query?: string
  /** `route="/cart"`: which series count */
  readonly matchers?: readonly string[]
  /** a label: requests are only compared with those for which it has the same value; absent: with all */
  readonly stratifyBy?: string
}

/** What is asked of New Relic: the transactions of an application, or a query. */
export interface NewRelicQuery {
  readonly appName?: string
  /** the `request.uri` of the transactions; absent: all */
  readonly testPath?: string
  /** which transactions are events; default `error is true` */
  readonly errors?: string
  /** the attribute with the name of the pod; default `host` */
  readonly podAttribute?: string
  /** NRQL that gives one number */
  readonly nrql?: string
}

/** RFC 6901 pointers into the answer for one arm. */
export interface WebPointers {
  /** a list of seconds */
  readonly samples?: string
  /** a list of seconds, ascending */
  readonly boundaries?: string
  /** a list: how many requests took longer than each boundary */
  readonly exceeding?: string
  readonly total?: string
  readonly events?: string
  readonly value?: string
}

/** What is asked of another web service, once for each arm. */
export interface WebQuery {
  /** behind the address of the provider */
  readonly path: string
  readonly params?: Readonly<Record<string, string>>
  readonly pointers: WebPointers
}

/** What a plugin is asked. */
export interface PluginQuery {
  readonly args?: Readonly<Record<string, string>>
}

/** The block of a metric that says what its provider is asked, by the name of its member. */
export interface QueryBlocks {
  readonly prometheus?: PrometheusQuery
  readonly newRelic?: NewRelicQuery
  readonly web?: WebQuery
  readonly plugin?: PluginQuery
}

/** How a metric is judged. Which of them a kind has is in `FIELDS`; their defaults are in `metricWithDefaults`. */
export interface MetricRule {
  /** a change for the worse up to this is no harm */
  readonly tolerancePercent?: number
  /** a change for the worse by this must be ruled out before a Pass */
  readonly maxRegressionPercent?: number
  /** up to it the rate of the fork is fine, even if that of the source is lower; 0: off */
  readonly acceptablePercent?: number
  readonly higherIsBetter?: boolean
  /** Threshold: bounds of the value of the fork */
  readonly min?: number
  readonly max?: number
  /** Threshold: violations in a row that are no harm yet */
  readonly failureLimit?: number
  /** Threshold: windows inside the bounds for a Pass */
  readonly successCount?: number
  /** MannWhitney: samples of each arm before its one look */
  readonly minSamples?: number
  readonly zScoreThreshold?: number
  readonly harmThreshold?: number
}

/** As users write it: what has a default may be absent. */
export interface Metric extends MetricRule, QueryBlocks {
  readonly name: string
  readonly kind: MetricKind
  /** the name of an ExperimentAnalysisProvider, or `kubernetes` */
  readonly provider: string
  /** whether it is only computed and reported, and never counts; default false */
  readonly dryRun?: boolean
}

/** The kinds that have a field of `MetricRule`. */
export const FIELDS: Readonly<Record<keyof MetricRule, readonly MetricKind[]>> = {
  tolerancePercent: ['Latency', 'ErrorRate', 'Ratio', 'Value'],
  maxRegressionPercent: ['Latency', 'ErrorRate', 'Ratio', 'Value'],
  acceptablePercent: ['ErrorRate', 'Ratio'],
  higherIsBetter: ['Ratio', 'Value'],
  min: ['Threshold'],
  max: ['Threshold'],
  failureLimit: ['Threshold'],
  successCount: ['Threshold'],
  minSamples: ['MannWhitney'],
  zScoreThreshold: ['MannWhitney'],
  harmThreshold: ['MannWhitney'],
}

/** The members of a query block from which a kind gets what it needs. */
interface QueryMembers {
  readonly needs: readonly string[]
  /** which more it may have, beside those that every query of the block may have */
  readonly may?: readonly string[]
}

/**
 * What each kind can ask in each block: the providers whose answers have what the kind needs of a window. A kind that
 * a block does not name cannot use it. Health asks Kubernetes and has no block.
 */
export const QUERY_MEMBERS: {
  readonly [B in 'prometheus' | 'newRelic']: Readonly<Partial<Record<MetricKind, QueryMembers>>>
} = {
  prometheus: {
    Latency: { needs: ['histogram'], may: ['matchers', 'stratifyBy'] },
    ErrorRate: { needs: ['events', 'total'], may: ['eventMatchers', 'matchers', 'stratifyBy'] },
    Ratio: { needs: ['events', 'total'], may: ['eventMatchers', 'matchers', 'stratifyBy'] },
    Value: { needs: ['query'] },
    Threshold: { needs: ['query'] },
  },
  newRelic: {
    Latency: { needs: ['appName'], may: ['testPath', 'podAttribute'] },
    ErrorRate: { needs: ['appName'], may: ['testPath', 'errors', 'podAttribute'] },
    Ratio: { needs: ['appName', 'errors'], may: ['testPath', 'podAttribute'] },
    MannWhitney: { needs: ['appName'], may: ['testPath', 'podAttribute'] },
    Value: { needs: ['nrql'] },
    Threshold: { needs: ['nrql'] },
  },
}

/** The sets of pointers into the answer of a web service from which a kind gets what it needs. */
export const POINTERS: Readonly<Partial<Record<MetricKind, readonly (readonly (keyof WebPointers)[])[]>>> = {
  Latency: [['samples'], ['boundaries', 'exceeding', 'total']],
  ErrorRate: [['events', 'total']],
  Ratio: [['events', 'total']],
  Value: [['value']],
  Threshold: [['value']],
  MannWhitney: [['samples']],
}
