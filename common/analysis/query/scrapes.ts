import { SCRAPERS } from '../series-labels.ts'
import { countAt, type PrometheusSeries } from './series.ts'
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
  return undefined
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
