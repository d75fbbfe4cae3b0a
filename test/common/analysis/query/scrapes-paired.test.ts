import { expect } from 'chai'
import { pairedBy, scrapedTwice } from '../../../../common/analysis/query/scrapes.ts'
import { seriesIn } from '../../../../common/analysis/query/series.ts'
import { poisson } from '../../../bench/worlds.ts'
import { seeded } from '../../../seeded.ts'
import { bucketSeries, counter } from './some-series.ts'
import { LABELS, WINDOW } from './window-queries.ts'

type Labels = Readonly<Record<string, string>>

/** Requests of a pod by their code. `behind`: how many the scraper has missed at the end. */
const scraped = (labels: Labels, behind = 0, pod = 'a') => [
  counter('n', pod, [6_000, 6_300 - behind], { ...labels, code: '200' }),
  counter('n', pod, [120, 140 - Math.min(3, behind)], { ...labels, code: '500' }),
  ...[201, 204, 301, 302, 400, 403, 404].map((code) => counter('n', pod, [60, 70], { ...labels, code: `${code}` })),
]
/** Cumulative buckets, of what each has at both edges beyond the one below. */
const buckets = (pod: string, apart: readonly (readonly [start: number, end: number])[], labels: Labels = {}) => {
  const upTo = (index: number, edge: 0 | 1) => apart.slice(0, index + 1).reduce((sum, ends) => sum + ends[edge], 0)
  const entries = apart.map((_, index) => [
    index === apart.length - 1 ? '+Inf' : `${(index + 1) / 10}`,
    [upTo(index, 0), upTo(index, 1)] as const,
  ])
  return bucketSeries(pod, Object.fromEntries(entries), labels)
}
const NINE = Array.from({ length: 9 }, (_, index) => [100 + index, 130 + index] as const)

describe('series that two scrapers send', () => {
  it('N45: are paired by any label of theirs, in each pod', () => {
    const one = [...scraped({ ha: 'x' }), ...scraped({ ha: 'x' }, 0, 'b')]
    const other = [...scraped({ ha: 'y' }, 100), ...scraped({ ha: 'y' }, 90, 'b')]
    expect(pairedBy([...one, ...other])).to.equal('ha')
    expect(scrapedTwice([...one, ...other])?.message).to.match(/^a pod is scraped twice: its series differ in ha;/)
    expect(pairedBy([...one, ...other.slice(0, 3)])).to.equal(undefined)
  })

  it('N45: are paired also if they are histograms, or if one scraper has no such label', () => {
    expect(pairedBy([...buckets('a', NINE, { ha: 'x' }), ...buckets('a', NINE, { ha: 'y' })])).to.equal('ha')
    expect(pairedBy([...buckets('a', NINE), ...buckets('a', NINE, { ha: 'y' })])).to.equal('ha')
    const atRest = [...NINE.slice(1), [5, 5] as const]
    expect(pairedBy([...buckets('a', atRest), ...buckets('a', atRest, { ha: 'y' })])).to.equal('ha')
    const later = NINE.map(([start, end]) => [start + 9, end + 4] as const)
    expect(pairedBy([...buckets('a', NINE), ...buckets('a', later, { ha: 'y' })])).to.equal('ha')
  })

  it('N45: are recognized in an answer, whatever their labels are', () => {
    const of = (tenant: string) =>
      scraped({ tenant }).map(({ name, labels, values }) => ({
        metric: { __name__: name, ...labels },
        values: [
          [WINDOW.start / 1_000, values.start],
          [WINDOW.end / 1_000, values.end],
        ],
      }))
    const json = { status: 'success', data: { resultType: 'matrix', result: [...of('x'), ...of('y')] } }
    const asked = { window: WINDOW, namespace: 'shop', pods: ['a'], labels: LABELS }
    const answer = seriesIn({ is: 'json', json }, asked)
    if (answer.is === 'failed') throw new Error(answer.message)
    expect(pairedBy(answer.series)).to.equal('tenant')
  })
})

/** How many items `work` puts into groups. */
function groupedIn(work: () => unknown): number {
  const { groupBy } = Map
  let items = 0
  Map.groupBy = (list, keyOf) =>
    groupBy(list, (item, index) => {
      items += 1
      return keyOf(item, index)
    })
  try {
    work()
  } finally {
    Map.groupBy = groupBy
  }
  return items
}

describe('the search for the label of two scrapers', () => {
  const SERIES = 400
  const many = (labelsOf: (index: number) => Labels) =>
    Array.from({ length: SERIES }, (_, index) =>
      counter('n', 'a', [index, 2 * index], { le: `${index}`, ...labelsOf(index) }),
    )

  it('N45: tries no label that not all series have, so that a thousand names are no work', () => {
    const series = many((index) => ({ [`l${index % 200}`]: 'x' }))
    expect(groupedIn(() => expect(pairedBy(series)).to.equal(undefined))).to.equal(SERIES)
  })

  it('N45: tries no label of which most series have one value, or that has many', () => {
    const series = many((index) => ({
      few: index < 150 ? 'x' : 'y',
      all: 'x',
      many: `${index}`,
      three: `${index % 3}`,
    }))
    expect(groupedIn(() => expect(pairedBy(series)).to.equal(undefined))).to.equal(SERIES)
  })

  it('N45: tries at most eight', () => {
    const series = many((index) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, label) => [`l${label}`, index < SERIES / 2 ? 'x' : 'y'])),
    )
    expect(groupedIn(() => expect(pairedBy(series)).to.equal(undefined))).to.equal(9 * SERIES)
  })

  it('N45: names the label in characters that can be seen', () => {
    const label = `h\u0000a${'x'.repeat(300)}`
    const { message = '' } = scrapedTwice([...scraped({ [label]: 'x' }), ...scraped({ [label]: 'y' })]) ?? {}
    expect(message).to.match(/its series differ in h\\u0000ax+\.\.\.; scrape it once/)
  })
})

describe('series of one scraper', () => {
  const worker = (id: string, ...counts: readonly (readonly [start: number, end: number])[]) =>
    counts.map((ends, index) => counter('n', 'a', ends, { shard: id, code: `${200 + index}` }))

  const eight = Array.from({ length: 8 }, () => [20, 25] as const)

  it('N45: are not paired if neither is ahead in all of them', () => {
    const one = worker('1', [500, 600], ...eight)
    expect(pairedBy([...one, ...worker('2', [500, 590], ...eight.slice(1), [20, 26])])).to.equal(undefined)
    expect(pairedBy([...one, ...worker('2', [490, 590], ...eight.slice(1), [21, 25])])).to.equal(undefined)
    expect(pairedBy([...one, ...worker('2', [490, 590], ...eight)])).to.equal('shard')
  })

  it('N45: are not paired if neither is ahead in what each bucket adds to the one below', () => {
    const other = [[110, 140] as const, ...NINE.slice(1).map(([start, end]) => [start - 1, end - 1] as const)]
    expect(pairedBy([...buckets('a', NINE, { pid: '1' }), ...buckets('a', other, { pid: '2' })])).to.equal(undefined)
  })

  it('N45: are not paired if one has counted far more, or if they are few or at rest', () => {
    const one = worker('1', [500, 600], ...eight)
    expect(pairedBy([...one, ...worker('2', [400, 500], ...eight)])).to.equal(undefined)
    expect(pairedBy([...one, ...worker('2', [500, 600], ...eight.slice(1), [14, 19])]), 'beyond').to.equal(undefined)
    expect(pairedBy([...one.slice(1), ...worker('1', [500, 600], ...eight).slice(1)])).to.equal(undefined)
    expect(pairedBy([...one.slice(1), ...worker('2', [500, 600], ...eight).slice(1)]), 'eight').to.equal(undefined)
    const idle = (id: string) => worker(id, ...eight.map(() => [5, 5] as const), [5, 5])
    expect(pairedBy([...idle('1'), ...idle('2')])).to.equal(undefined)
    expect(pairedBy([])).to.equal(undefined)
  })

  it('N45: are seldom paired by chance, as those of two workers with equal traffic', () => {
    const random = seeded(1)
    const parts = [0.1, 0.1, 0.15, 0.2, 0.15, 0.1, 0.08, 0.06, 0.04, 0.02]
    let [looks, paired] = [0, 0]
    for (let life = 0; life < 40; life += 1) {
      const workers = ['1', '2'].map((pid) => ({ pid, counts: parts.map(() => 0) }))
      for (let window = 0; window < 30; window += 1) {
        const series = workers.flatMap((of) => {
          const before = of.counts
          of.counts = before.map((count, index) => count + poisson(150 * (parts[index] ?? 0), random))
          const ends = before.map((start, index) => [start, of.counts[index] ?? 0] as const)
          return buckets('a', ends, { pid: of.pid })
        })
        looks += 1
        if (pairedBy(series) !== undefined) paired += 1
      }
    }
    expect(paired / looks).to.be.below(0.005)
  })

  it('are not paired by a label that says what is counted', () => {
    const of = (route: string) =>
      worker('1', [500, 600], ...eight).map((one) => ({ ...one, labels: { ...one.labels, route } }))
    expect(pairedBy([...of('/a'), ...of('/b')])).to.equal(undefined)
  })

  it('are not paired if one of them is alone, or by what tells where they are from', () => {
    expect(pairedBy([...scraped({ ha: 'x' }), ...scraped({ ha: 'y' }).slice(1)])).to.equal(undefined)
    const at = (instance: string) => scraped({ instance })
    expect(pairedBy([...at('10.0.0.1:80'), ...at('10.0.0.1:90')])).to.equal(undefined)
  })
})
