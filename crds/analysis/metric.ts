import type { Note } from '../schema/schema.ts'

const MATCHERS = {
  itemRules: [
    {
      rule: "!self.matches('^(__|le *[=!])')",
      message: 'le and labels that begin with __ are not for matchers; remove it',
    },
  ],
}

const PROMETHEUS: Note = {
  about: 'What Prometheus is asked. The pods and their namespace are added to every selector.',
  isAtomic: true,
  members: {
    histogram:
      'For Latency: the name of a histogram of durations, classic or native, without "_bucket", such as http_request_duration_seconds.',
    events: 'For ErrorRate and Ratio: the name of a counter of which the events are a part.',
    eventMatchers: {
      about: 'For ErrorRate and Ratio: which series of "events" count, such as code=~"5..", besides "matchers".',
      ...MATCHERS,
    },
    total: 'For ErrorRate and Ratio: the name of the counter of all requests.',
    query:
      'For Value and Threshold: PromQL that gives one number. It is allowed in cluster templates, and elsewhere if the provider has freeQueries. Placeholders such as {{pods}} stand in double quotes.',
    matchers: {
      about:
        'Which series count, such as route="/cart". Not the labels of the pod and its namespace, which are always added.',
      ...MATCHERS,
    },
    stratifyBy:
      'For Latency, ErrorRate and Ratio: a label of the series, such as route. The requests for each of its values, of which there are at most 8, are compared by themselves. Of Latency, only classic histograms can be.',
  },
}

const NEW_RELIC: Note = {
  about: 'What New Relic is asked: its transactions of the pods, or a query.',
  isAtomic: true,
  members: {
    appName: 'The name of the application.',
    testPath: 'The request.uri of the transactions. Without it all count.',
    errors:
      'For ErrorRate and Ratio: which transactions are events, such as httpResponseCode >= 500. The default for ErrorRate is "error is true".',
    podAttribute: 'The attribute with the name of the pod. The default is host.',
    nrql: 'For Value and Threshold: NRQL that gives one number, without SINCE and UNTIL. It is allowed in cluster templates, and elsewhere if the provider has freeQueries. Placeholders such as {{pods}} stand in single quotes.',
  },
}

const WEB: Note = {
  about:
    'What another web service is asked: one GET for the pods of the fork and one for those that they are compared with. Each answer is JSON. It must be of exactly the span of time from {{windowStart}} to {{windowEnd}}, so name both in path or params: requests that two windows count make wrong verdicts more frequent.',
  isAtomic: true,
  members: {
    path: 'The path behind the address of the provider. Placeholders such as {{pods}} are percent-encoded. {{windowStart}} and {{windowEnd}} are whole seconds since 1970.',
    params: 'Parameters of the query, by name. They may have the same placeholders as path.',
    pointers: {
      about: 'Where the answer has what the metric needs: JSON pointers (RFC 6901).',
      members: {
        samples: 'For Latency and MannWhitney: a list with the seconds that each request took.',
        boundaries: 'For Latency: a list of seconds, ascending.',
        exceeding: 'For Latency: a list with the number of requests that took longer than each boundary.',
        total: 'The number of all requests.',
        events: 'For ErrorRate and Ratio: the number of events.',
        value: 'For Value and Threshold: a number.',
      },
    },
  },
}

/** What each member of a metric says to people. */
export const METRIC_NOTES: Readonly<Record<string, Note>> = {
  name: 'The name of the metric, which the status and messages use.',
  kind: 'What is asked. Latency, ErrorRate, Ratio, Value and Health compare with the pods of the source and bound how often a verdict is wrong. Threshold compares with a number, MannWhitney looks once as Gated Deployments does, and Decision is left to a plugin: they bound nothing.',
  provider: 'Who is asked: the name of an ExperimentAnalysisProvider, or "kubernetes" for Health.',
  dryRun: 'Whether the metric is only computed and shown, and never counts. The default is false.',
  tolerancePercent: 'So much worse is no harm. The default is 10 for Latency and Value, 20 for ErrorRate and Ratio.',
  maxRegressionPercent:
    'So much worse must be ruled out before a Pass. The default is 25 for Latency and Value, 100 for ErrorRate and Ratio.',
  acceptablePercent:
    'Up to it the rate of the fork is fine, whatever that of the source is. The default is 1 for ErrorRate and 0, which is off, for Ratio.',
  higherIsBetter: 'For Ratio and Value: whether more is better. The default is false.',
  min: 'For Threshold: the value of the fork must not be less.',
  max: 'For Threshold: the value of the fork must not be more.',
  failureLimit: 'For Threshold: so many windows in a row may be outside the bounds. The default is 2.',
  successCount: 'For Threshold: so many windows must be inside the bounds for a Pass. The default is 5.',
  minSamples: 'For MannWhitney: so many samples of the fork, and of the source, are needed. The default is 50.',
  zScoreThreshold: 'For MannWhitney: the z-score from which a difference counts. The default is 1.96.',
  harmThreshold: 'For MannWhitney: how many times worse is harm. The default is 1.5.',
  prometheus: PROMETHEUS,
  newRelic: NEW_RELIC,
  web: WEB,
  plugin: {
    about: 'What a plugin gets besides the window, the pods of the fork and those that they are compared with.',
    isAtomic: true,
    members: { args: 'Texts for the plugin, by name.' },
  },
}
