import { expect } from 'chai'
import { scrapedTwice } from '../../../../common/analysis/query/scrapes.ts'
import type { PrometheusSeries } from '../../../../common/analysis/query/series.ts'
import { bucketSeries, counter, native } from './some-series.ts'

type Labels = Readonly<Record<string, string>>

const ADDRESS = { instance: '10.0.0.1:8080' }
/** What the operator adds to the series of a pod that it found by a Service. */
const BY_SERVICE = { ...ADDRESS, container: 'cart', endpoint: 'http', service: 'cart', job: 'cart' }
const BY_POD = { ...ADDRESS, container: 'cart', endpoint: 'http', job: 'shop/cart' }
/** What a job by annotations adds: all labels of the pod. */
const BY_ANNOTATION = { ...ADDRESS, job: 'kubernetes-pods', app: 'cart', pod_template_hash: '5d7f9c', node: 'a' }

/** Requests of one process, as somebody has scraped them a moment later. */
const scraped = (labels: Labels, laterBy = 0): readonly PrometheusSeries[] => [
  counter('n', 'a', [6_000 + laterBy, 6_300 + laterBy], { ...labels, code: '200' }),
  counter('n', 'a', [120, 120], { ...labels, code: '500' }),
]
const told = (...series: readonly (readonly PrometheusSeries[])[]) => scrapedTwice(series.flat())?.message
const messageFor = (labels: string) =>
  `a pod is scraped twice: its series differ in ${labels}; scrape it once, or choose by prometheus.matchers`

describe('a pod is scraped twice', () => {
  const twice: Readonly<Record<string, readonly [one: Labels, other: Labels, differing: string]>> = {
    'by a ServiceMonitor and a PodMonitor': [BY_SERVICE, BY_POD, 'job, service'],
    'by a ServiceMonitor that finds two Services': [
      BY_SERVICE,
      { ...BY_SERVICE, service: 'cart-headless', job: 'cart-headless' },
      'job, service',
    ],
    'by one that takes the job from a label of both Services': [
      BY_SERVICE,
      { ...BY_SERVICE, service: 'cart-headless' },
      'service',
    ],
    'by two PodMonitors': [BY_POD, { ...BY_POD, job: 'shop/all', endpoint: 'metrics' }, 'job'],
    'by the operator and by a job for annotations': [BY_SERVICE, BY_ANNOTATION, 'job, service'],
    'by two jobs': [BY_ANNOTATION, { ...BY_ANNOTATION, job: 'slow' }, 'job'],
    'by an HA pair of the operator': [
      { ...BY_POD, prometheus: 'monitoring/k8s', prometheus_replica: 'prometheus-k8s-0' },
      { ...BY_POD, prometheus: 'monitoring/k8s', prometheus_replica: 'prometheus-k8s-1' },
      'prometheus_replica',
    ],
    'by an HA pair of which one has no name': [BY_POD, { ...BY_POD, __replica__: 'b' }, '__replica__'],
    'by two receivers of Thanos': [{ receive_replica: '0' }, { receive_replica: '1' }, 'receive_replica'],
    'by an HA pair behind Thanos': [{ ...ADDRESS, replica: 'A' }, { ...ADDRESS, replica: 'B' }, 'replica'],
  }
  for (const [how, [one, other, differing]] of Object.entries(twice))
    it(how, () => {
      expect(told(scraped(one), scraped(other, 150))).to.equal(messageFor(differing))
      expect(told(scraped(other), scraped(one, 150))).to.equal(messageFor(differing))
    })

  it('also if it is scraped once more at another address, or three times', () => {
    const elsewhere = scraped({ ...BY_POD, instance: '10.0.0.1:9090' }, 7)
    expect(told(elsewhere, scraped(BY_POD), scraped(BY_SERVICE, 9))).to.equal(messageFor('job, service'))
    const third = scraped({ ...BY_POD, job: 'shop/all' }, 100)
    expect(told(scraped(BY_POD), third, scraped(BY_SERVICE, 9))).to.equal(messageFor('job, service'))
  })

  it('also if a series is born in the window', () => {
    const born = counter('n', 'a', [undefined, 3], { ...BY_POD, code: '404' })
    expect(told(scraped(BY_POD), [born], scraped(BY_SERVICE))).to.equal(messageFor('job, service'))
  })

  it('also if what it counts are histograms', () => {
    const buckets = { '0.1': [20, 25], '+Inf': [40, 50] } as const
    expect(told(bucketSeries('a', buckets, BY_POD), bucketSeries('a', buckets, BY_SERVICE))).to.equal(
      messageFor('job, service'),
    )
    const sent = [[[1, 2, 40]], [[1, 2, 50]]] as const
    expect(told([native('a', sent, BY_POD), native('a', sent, BY_SERVICE)])).to.equal(messageFor('job, service'))
  })
})

describe('a pod is scraped once', () => {
  const once: Readonly<Record<string, readonly [one: Labels, other: Labels]>> = {
    'if its series differ in what they count': [
      { ...BY_POD, code: '200' },
      { ...BY_POD, code: '204' },
    ],
    'if two of its ports are': [BY_POD, { ...BY_POD, instance: '10.0.0.1:9090', endpoint: 'admin' }],
    'if two of its ports are, by two monitors': [
      BY_POD,
      { ...BY_POD, instance: '10.0.0.1:9090', job: 'shop/cart-admin' },
    ],
    'if two of its containers are, also under one address': [BY_POD, { ...BY_POD, container: 'proxy', job: 'proxies' }],
    'if its sidecar tells who reported': [
      { ...BY_POD, reporter: 'source' },
      { ...BY_POD, reporter: 'destination' },
    ],
    'if endpoint and service say what is counted': [
      { ...ADDRESS, job: 'pods', endpoint: '/healthz', service: 'a' },
      { ...ADDRESS, job: 'pods', endpoint: '/readyz', service: 'b' },
    ],
    'if endpoint says what is counted beside a container': [
      { ...BY_POD, endpoint: '/healthz' },
      { ...BY_POD, endpoint: '/readyz' },
    ],
  }
  for (const [how, [one, other]] of Object.entries(once))
    it(how, () => {
      const series = (labels: Labels) => [counter('n', 'a', [6_000, 6_300], labels)]
      expect(told(series(one), series(other))).to.equal(undefined)
    })

  const other = { ...ADDRESS, job: 'shop/payment' }

  it('if its jobs have other counts, as those of two programs behind one exporter', () => {
    const one = counter('n', 'a', [6_000, 6_300], { ...ADDRESS, job: 'shop/cart' })
    for (const ends of [
      [0, 40],
      [5_849, 6_149],
      [6_000, 6_700],
      [5_500, 6_300],
    ] as const)
      expect(told([one, counter('n', 'a', ends, other)])).to.equal(undefined)
    expect(told([one, counter('n', 'a', [5_850, 6_150], other)])).to.equal(messageFor('job'))
  })

  it('as long as nothing is counted', () => {
    const idle = (job: string) => counter('n', 'a', [5, 5], { ...ADDRESS, job })
    expect(told([idle('one'), idle('other')])).to.equal(undefined)
  })

  it('if the labels of its job changed in the window or just before it', () => {
    const old = { ...ADDRESS, job: 'old' }
    const one = (ends: readonly [number | undefined, number], labels: Labels) => counter('n', 'a', ends, labels)
    expect(told([one([6_000, 6_150], old), one([undefined, 6_300], other)])).to.equal(undefined)
    expect(told([one([6_000, 6_000], old), one([6_010, 6_300], other)])).to.equal(undefined)
  })

  it('if another pod has the same series', () =>
    expect(
      told(
        scraped({ job: 'one' }),
        scraped({ job: 'other' }).map((one) => ({ ...one, pod: 'b' })),
      ),
    ).to.equal(undefined))
})
