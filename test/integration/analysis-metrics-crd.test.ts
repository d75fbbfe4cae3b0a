import {
  asked,
  ERRORS,
  forbidden,
  HEALTH,
  invalid,
  latency,
  metrics,
  newRelic,
  prometheus,
  web,
} from './analysis-manifests.ts'
import { testsOfCrd } from './crd-answers.ts'

const ACCEPTED: Readonly<Record<string, object>> = {
  'the metrics of the specification': metrics(
    latency({ prometheus: { histogram: 'http_request_duration_seconds', matchers: ['route="/cart"'] } }),
    prometheus('ErrorRate', ERRORS),
    HEALTH,
  ),
  'N44: strata': metrics(
    latency({ prometheus: { histogram: 'a', stratifyBy: 'route' } }),
    prometheus('ErrorRate', { ...ERRORS, stratifyBy: '_handler' }),
  ),
  'a ratio whose events are another counter': metrics(prometheus('Ratio', { events: 'hits', total: 'requests' })),
  'a value by a query': metrics(
    prometheus('Value', { query: 'avg(queue{pod=~"{{pods}}"})' }, { higherIsBetter: true }),
  ),
  'a threshold for the whole': metrics(prometheus('Threshold', { query: 'avg(queue)' }, { max: 5, failureLimit: 0 })),
  'transactions of New Relic': metrics(
    newRelic('Latency', { appName: 'cart', testPath: "/it's", podAttribute: 'host' }),
  ),
  'errors of New Relic': metrics(
    newRelic('ErrorRate', { appName: 'cart', errors: "error is true or path like '/a%'" }),
  ),
  'samples as Gated Deployments': metrics(asked('MannWhitney', { newRelic: { appName: 'cart' } }, { minSamples: 5 })),
  'samples of a web service': metrics(web('Latency', { samples: '/durations' })),
  'buckets of a web service': metrics(web('Latency', { boundaries: '/le', exceeding: '/over', total: '/n' })),
  'a web service that is asked by params': metrics(
    web('Value', { value: '' }, { path: '/', params: { pods: '{{pods}}' } }),
  ),
  'a plugin': metrics(asked('Decision', { plugin: { args: { suite: 'smoke test' } } })),
  'numbers of the fields': metrics(latency({ tolerancePercent: 0, maxRegressionPercent: 0.5, dryRun: false })),
}

const FIRST = 'spec.analysis.metrics[0]'

const REFUSED: Readonly<Record<string, readonly [spec: object, words: readonly string[]]>> = {
  'a field of another kind': [
    metrics({ ...HEALTH, tolerancePercent: 5 }),
    forbidden(`${FIRST}.tolerancePercent`, 'is only for Latency, ErrorRate, Ratio and Value; remove it'),
  ],
  'maxRegressionPercent under the default of tolerancePercent': [
    metrics(prometheus('ErrorRate', ERRORS, { maxRegressionPercent: 20 })),
    invalid(`${FIRST}.maxRegressionPercent`, 'must be more than tolerancePercent; raise it, or lower tolerancePercent'),
  ],
  'tolerancePercent over the default of maxRegressionPercent': [
    metrics(latency({ tolerancePercent: 25 })),
    invalid(`${FIRST}.maxRegressionPercent`, 'Their defaults for Latency are 25 and 10'),
  ],
  'an acceptable rate where more is better': [
    metrics(prometheus('Ratio', ERRORS, { acceptablePercent: 1, higherIsBetter: true })),
    forbidden(`${FIRST}.acceptablePercent`, 'has no meaning with higherIsBetter; remove it'),
  ],
  'a threshold without a bound': [
    metrics(prometheus('Threshold', { query: 'up' })),
    invalid(FIRST, 'a Threshold needs min or max; set at least one of them'),
  ],
  'a threshold of nothing': [
    metrics(prometheus('Threshold', { query: 'up' }, { min: 2, max: 1 })),
    invalid(`${FIRST}.max`, 'must not be less than min; raise it, or lower min'),
  ],
  'health of Prometheus': [
    metrics({ ...HEALTH, provider: 'prometheus' }),
    invalid(`${FIRST}.provider`, 'Health needs the provider kubernetes; set it so'),
  ],
  'health with a query': [
    metrics({ ...HEALTH, prometheus: { query: 'up' } }),
    forbidden(`${FIRST}.kind`, 'Health needs no query; remove prometheus, newRelic, web and plugin'),
  ],
  'latency of Kubernetes': [
    metrics(latency({ provider: 'kubernetes' })),
    invalid(`${FIRST}.provider`, 'kubernetes has only Health; set kind to Health, or name another provider'),
  ],
  'no query': [
    metrics({ name: 'a', kind: 'Latency', provider: 'prometheus' }),
    invalid(FIRST, 'needs exactly one of prometheus, newRelic, web or plugin; set the one of the type of its provider'),
  ],
  'two queries': [metrics(latency({ plugin: {} })), invalid(FIRST, 'needs exactly one of prometheus')],
  'samples of Prometheus': [
    metrics(prometheus('MannWhitney', { histogram: 'a' })),
    forbidden(`${FIRST}.prometheus`, 'Prometheus has no single samples and decides nothing; ask New Relic'),
  ],
  'a decision of New Relic': [
    metrics(newRelic('Decision', {})),
    forbidden(`${FIRST}.newRelic`, 'New Relic decides nothing; ask a plugin'),
  ],
  'a decision of a web service': [
    metrics(web('Decision', { value: '/a' })),
    forbidden(`${FIRST}.web`, 'a web service decides nothing; ask a plugin'),
  ],
  'latency without a histogram': [
    metrics(prometheus('Latency', {})),
    invalid(`${FIRST}.prometheus.histogram`, 'is required for Latency; set it'),
  ],
  'latency by a query': [
    metrics(latency({ prometheus: { histogram: 'a', query: 'b' } })),
    forbidden(`${FIRST}.prometheus.query`, 'is only for Value and Threshold; remove it, or change the kind'),
  ],
  'matchers of a query': [
    metrics(prometheus('Threshold', { query: 'up', matchers: ['a="b"'] }, { min: 1 })),
    forbidden(`${FIRST}.prometheus.matchers`, 'is only for Latency, ErrorRate and Ratio; remove it'),
  ],
  'N44: strata of a query': [
    metrics(prometheus('Threshold', { query: 'up', stratifyBy: 'route' }, { min: 1 })),
    forbidden(`${FIRST}.prometheus.stratifyBy`, 'is only for Latency, ErrorRate and Ratio; remove it'),
  ],
  'N44: strata by what is no label': [
    metrics(latency({ prometheus: { histogram: 'a', stratifyBy: 'http.route' } })),
    invalid(`${FIRST}.prometheus.stratifyBy`, 'must be the name of a label of Prometheus'),
  ],
  'events without their total': [
    metrics(prometheus('ErrorRate', { events: 'a' })),
    invalid(`${FIRST}.prometheus.total`, 'is required for ErrorRate and Ratio; set it'),
  ],
  'events that are all requests': [
    metrics(prometheus('ErrorRate', { events: 'a', total: 'a' })),
    invalid(`${FIRST}.prometheus.eventMatchers`, 'every request would be an event; say which are, such as code=~"5.."'),
  ],
  'a ratio of New Relic without events': [
    metrics(newRelic('Ratio', { appName: 'cart' })),
    invalid(`${FIRST}.newRelic.errors`, 'is required for Ratio; set it'),
  ],
  'a histogram with its suffix': [
    metrics(prometheus('Latency', { histogram: 'a_bucket' })),
    invalid(`${FIRST}.prometheus.histogram`, 'is the name of a histogram without _bucket; remove _bucket'),
  ],
  'a value that is the same of both arms': [
    metrics(prometheus('Value', { query: 'avg(queue)' })),
    invalid(
      `${FIRST}.prometheus.query`,
      'it would give the same value for the source as for the fork; use {{pods}} or {{arm}} in it',
    ),
  ],
  'NRQL that is the same of both arms': [
    metrics(newRelic('Value', { nrql: 'SELECT 1' })),
    invalid(`${FIRST}.newRelic.nrql`, 'it would give the same value for the source as for the fork'),
  ],
  'a web service that is asked the same for both arms': [
    metrics(web('Value', { value: '/a' }, { path: '/', params: { a: 'b' } })),
    invalid(
      `${FIRST}.web.path`,
      'the answer would be the same for the source as for the fork; use {{pods}} or {{arm}} in path or params',
    ),
  ],
  'pointers to half of what is needed': [
    metrics(web('Latency', { boundaries: '/le', total: '/n' })),
    invalid(`${FIRST}.web.pointers`, 'Latency needs samples, or boundaries, exceeding and total, and nothing else'),
  ],
  'pointers to more than is needed': [
    metrics(web('Value', { value: '/a', total: '/n' })),
    invalid(`${FIRST}.web.pointers`, 'Value needs value, and nothing else; set them so'),
  ],
  'a path of another host': [
    metrics(web('Value', { value: '/a' }, { path: '//evil/{{pods}}' })),
    invalid(`${FIRST}.web.path`, 'must be a path, such as /v1/stats'),
  ],
  'a matcher on the name': [
    metrics(latency({ prometheus: { histogram: 'a', matchers: ['b="c"', '__name__=~".+"'] } })),
    invalid(`${FIRST}.prometheus.matchers[1]`, 'le and labels that begin with __ are not for matchers; remove it'),
  ],
  'a matcher on the bucket': [
    metrics(latency({ prometheus: { histogram: 'a', matchers: ['le ="0.1"'] } })),
    invalid(`${FIRST}.prometheus.matchers[0]`, 'le and labels that begin with __'),
  ],
  'a matcher that ends its text': [
    metrics(latency({ prometheus: { histogram: 'a', matchers: ['a="b",namespace="kube-system"'] } })),
    invalid(`${FIRST}.prometheus.matchers[0]`, 'must be a matcher, such as route="/cart"'),
  ],
  'a series with a selector': [
    metrics(latency({ prometheus: { histogram: 'a{b="c"}' } })),
    invalid(`${FIRST}.prometheus.histogram`, 'must be the name of a metric of Prometheus'),
  ],
  'more than a condition': [
    metrics(newRelic('ErrorRate', { appName: 'a', errors: 'error is true) FROM Secret SELECT (x' })),
    invalid(`${FIRST}.newRelic.errors`, 'must be a condition, such as error is true'),
  ],
  'a pointer without a slash': [
    metrics(web('Value', { value: 'data' })),
    invalid(`${FIRST}.web.pointers.value`, 'must be a JSON pointer, such as /data/durations'),
  ],
  'a name with a capital': [
    metrics(latency({ name: 'Latency' })),
    invalid(`${FIRST}.name`, 'must be a name of lower-case letters, digits and -'),
  ],
  'no kind': [metrics({ name: 'a', provider: 'b' }), [`${FIRST}.kind: Required value`]],
  'an unknown kind': [
    metrics(latency({ kind: 'Guess' })),
    [`${FIRST}.kind: Unsupported value: "Guess": supported values: "Latency"`],
  ],
}

describe('a metric in the CRD, by itself', () => {
  testsOfCrd(ACCEPTED, REFUSED, 'analysis')
})
