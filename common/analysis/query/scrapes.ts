import { printable } from '../../text/printable.ts'
import { hashOfLabel, SCRAPERS } from '../series-labels.ts'
import { countAt, numberIn, type PrometheusSeries } from './series.ts'
import { type Failed, failed } from './window-query.ts'

/** The labels by which scrapers are told from each other. */
const NAMES = [...SCRAPERS, 'service']

/** All that one scraper has of an address of a pod. */
interface Scrape {
  /** the labels of the scraper */
  readonly by: Readonly<Record<string, string>>
  readonly container: string | undefined
  /** what all series have counted together at each edge */
  readonly start: number
  readonly end: number
}

/**
 * The failure of series that have a pod twice: each request would count as two, and evidence would grow too fast.
 * Undefined if no pod is scraped twice. Two scrapers have the same series if these have one address, one container as
 * far as labels say, and about equal counts. So two ports or two containers of a pod are not the same.
 */
export function scrapedTwice(series: readonly PrometheusSeries[]): Failed | undefined {
  const addresses = Map.groupBy(series, ({ pod, labels: { instance } }) => JSON.stringify([pod, instance]))
  for (const ofAddress of addresses.values()) {
    const scrapes = scrapesIn(ofAddress).toSorted((one, other) => one.end - other.end)
    for (const [place, one] of scrapes.entries()) {
      const next = scrapes[place + 1] // they are sorted, so equal counts are neighbours
      const labels = next && areAlike(one, next) ? differingIn(one.by, next.by) : []
      if (labels.length > 0) return twice(labels)
    }
  }
  const label = pairedBy(series)
  return label === undefined ? undefined : twice([printable(label)])
}

function twice(labels: readonly string[]): Failed {
  const found = `its series differ in ${labels.join(', ')}`
  return failed(`a pod is scraped twice: ${found}; scrape it once, or choose by prometheus.matchers`)
}

/** Series with one edge are left out: their labels may have changed in the window. */
function scrapesIn(series: readonly PrometheusSeries[]): readonly Scrape[] {
  const scrapes = new Map<string, Scrape>()
  for (const one of series) {
    const [start, end] = [countAt(one, 'start'), countAt(one, 'end')]
    if (start === undefined || end === undefined) continue
    const [by, { container }] = [scraperOf(one.labels), one.labels]
    const key = JSON.stringify([container, ...NAMES.map((name) => by[name])])
    const others = scrapes.get(key) ?? { start: 0, end: 0 }
    scrapes.set(key, { by, container, start: others.start + start, end: others.end + end })
  }
  return [...scrapes.values()]
}

/**
 * The operator of Prometheus names the Service by which it found a pod in `service`, beside `endpoint` and `container`.
 * Without these, it may say what is counted.
 */
function scraperOf(labels: PrometheusSeries['labels']): Scrape['by'] {
  const isOfOperator = labels.endpoint !== undefined && labels.container !== undefined
  const by: Record<string, string> = {}
  for (const name of isOfOperator ? NAMES : SCRAPERS) {
    const value = labels[name]
    if (value !== undefined) by[name] = value
  }
  return by
}

/**
 * Whether two scrapes can be of one process. They are not made at the same moment, so one of them may have what was
 * counted in between: less than half of the growth in a window, which is two scrapes long at least.
 */
function areAlike(one: Scrape, other: Scrape): boolean {
  const growth = Math.max(one.end - one.start, other.end - other.start)
  const isNear = (edge: 'start' | 'end') => 2 * Math.abs(one[edge] - other[edge]) <= growth
  const containers = new Set([one.container, other.container].filter((name) => name !== undefined))
  return growth > 0 && isNear('start') && isNear('end') && containers.size < 2
}

const differingIn = (one: Scrape['by'], other: Scrape['by']): readonly string[] =>
  NAMES.filter((name) => one[name] !== other[name])

/** Labels that tell two series apart which are not the same: by what they count, or where. */
const TOLD_APART = new Set([...SCRAPERS, 'le', 'instance', 'container', 'service', 'endpoint', ''])
/** Names of labels that say what is counted. Two of their values may have equal counts by chance, or by design. */
const OF_CONTENT =
  /code|status|method|verb|route|path|uri|url|handler|operation|result|outcome|error|type|worker|thread/i
/**
 * With fewer pairs that have counted something, series may be alike by chance, as those of two workers with equal
 * traffic. One pair of each pod does not count: it tells which of both is ahead.
 */
const LEAST_PAIRS = 8

/** What a series has counted at both edges. */
interface Ends {
  readonly start: number
  readonly end: number
}

/** A series with the hash of each of its labels. */
interface Hashed extends Ends {
  /** the upper boundary, of a bucket */
  readonly le: string | undefined
  readonly hashes: ReadonlyMap<string, number>
  readonly all: number
}

/** A sum of hashes stays exact. */
const MOST = 2 ** 52

function hashed(one: PrometheusSeries): readonly Hashed[] {
  const [start, end] = [countAt(one, 'start'), countAt(one, 'end')]
  if (start === undefined || end === undefined) return []
  const hashes = new Map([
    ...Object.entries(one.labels)
      .filter(([label]) => label !== '')
      .map(([label, value]) => [label, hashOfLabel(label, value)] as const),
    ...(one.unread ?? []),
  ])
  const all = hashes.values().reduce((sum, hash) => (sum + hash) % MOST, hashOfLabel('', one.name))
  return [{ start, end, le: one.labels.le, hashes, all }]
}

/**
 * The label by which each series of each pod is there twice, as two scrapers of one process send them that differ in a
 * label of their own. Two series are the same if they differ in nothing else. They are not scraped at one moment, so
 * one scraper is ahead in all of them, or behind, by less than half of what was counted in the window. Undefined: there
 * is no such label, or there are too few series to tell.
 */
export function pairedBy(series: readonly PrometheusSeries[]): string | undefined {
  const pods = [...Map.groupBy(series, ({ pod }) => pod).values()]
    .map((ofPod) => ofPod.flatMap(hashed))
    .filter((ofPod) => ofPod.some(({ start, end }) => end > start))
  const [first, ...others] = pods
  if (!first) return undefined
  return candidatesIn(first).find((label) => {
    const numbers = [first, ...others].map((ofPod) => pairsBy(label, ofPod))
    return numbers.every((each) => each > 0) && numbers.reduce((sum, each) => sum + each - 1, 0) >= LEAST_PAIRS
  })
}

/** So many labels are tried at most. Two scrapers that differ in more of them are told apart by none. */
const MOST_TRIED = 8

/** The labels that may tell two scrapers apart: half of the series have one value of it, the others another or none. */
function candidatesIn(series: readonly Hashed[]): readonly string[] {
  const counts = new Map<string, Map<number, number>>()
  for (const { hashes } of series)
    for (const [label, hash] of hashes) {
      const values = counts.get(label) ?? new Map<number, number>()
      if (values.size < 3) counts.set(label, values.set(hash, (values.get(hash) ?? 0) + 1)) // three are too many
    }
  const isHalf = (count: number) => 2 * count === series.length
  return [...counts]
    .filter(([label, values]) => !TOLD_APART.has(label) && !OF_CONTENT.test(label) && values.values().every(isHalf))
    .map(([label]) => label)
    .slice(0, MOST_TRIED)
}

/** How many pairs the series of a pod are that have counted something; 0: not all of them are in pairs. */
function pairsBy(label: string, series: readonly Hashed[]): number {
  const hashOf = ({ hashes }: Hashed) => hashes.get(label) ?? 0
  const groups = [...Map.groupBy(series, (one) => (one.all - hashOf(one) + MOST) % MOST).values()]
  const [one, other] = [...new Set(series.map(hashOf))]
  if (one === undefined || other === undefined) return 0
  const pairs = groups.flatMap((group) => {
    const [first, second] = [one, other].map((hash) => group.find((each) => hashOf(each) === hash))
    return first && second && group.length === 2 ? [{ first, second }] : []
  })
  if (pairs.length < groups.length) return 0
  const apart = countedApart(pairs)
  const areSame = apart.every(couldBeOne) && (['start', 'end'] as const).every((edge) => isAhead(apart, edge))
  return areSame ? apart.filter(({ first }) => first.end > 0).length : 0
}

/** Two series that differ only in the label of the scrapers. */
interface Pair<T extends Ends = Ends> {
  readonly first: T
  readonly second: T
}

const grownIn = ({ first, second }: Pair): number => Math.max(first.end - first.start, second.end - second.start)

/**
 * Pairs whose counts have no request in common. A bucket has all requests of those below it, so a worker that is ahead
 * of another one in a bucket is ahead in the next ones, too.
 */
function countedApart(pairs: readonly Pair<Hashed>[]): readonly Pair[] {
  const histogramOf = ({ first: { all, le, hashes } }: Pair<Hashed>) =>
    le === undefined ? undefined : (all - (hashes.get('le') ?? 0) + MOST) % MOST
  return [...Map.groupBy(pairs, histogramOf)].flatMap(([histogram, buckets]) => {
    if (histogram === undefined) return buckets
    const sorted = buckets.toSorted((one, other) => boundaryOf(one.first) - boundaryOf(other.first))
    return sorted.map(({ first, second }, index) => {
      const below = sorted[index - 1]
      return { first: beyond(first, below?.first), second: beyond(second, below?.second) }
    })
  })
}

/** The highest number stands for all others than numbers: `+Inf`. */
const boundaryOf = ({ le }: Hashed): number => numberIn(le) ?? Number.MAX_VALUE

/** What a bucket has counted that the one below has not. */
const beyond = (bucket: Ends, below: Ends = { start: 0, end: 0 }): Ends => ({
  start: bucket.start - below.start,
  end: bucket.end - below.end,
})

/** Whether one counter can be both. Each scraper has scraped it in the window: it has passed what both had before. */
const couldBeOne = ({ first, second }: Pair): boolean =>
  Math.max(first.start, second.start) <= Math.min(first.end, second.end)

/** Whether one of the scrapers is ahead in all series at an edge, but by less than half of what the window counted. */
function isAhead(pairs: readonly Pair[], edge: keyof Ends): boolean {
  const by = pairs.map(({ first, second }) => first[edge] - second[edge])
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const isOneSided = by.every((each) => each >= 0) || by.every((each) => each <= 0)
  return isOneSided && 2 * Math.abs(sum(by)) <= sum(pairs.map(grownIn))
}
