import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/**
 * A metric in the table of a program. The page of metrics, the alerts and the dashboard are generated from the tables.
 */
export interface MetricDescription {
  readonly is: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: readonly string[]
  /** the upper bounds of a histogram's buckets */
  readonly seconds?: readonly number[]
  /** how the gauges of several replicas are combined; default: the largest, because all of them measure the same */
  readonly combine?: 'sum' | 'min'
  /** set if several installations count different things, so that the dashboard adds up what they count */
  readonly addsUp?: true
}

type Table = Readonly<Record<string, MetricDescription>>

/** The labels of the metric `N` of a table. */
type LabelOf<T extends Table, N extends keyof T> = T[N] extends { labels: readonly (infer L extends string)[] }
  ? L
  : never

/** Finds the metrics of a table as they are registered, with `prefix` before their names. */
export const describedIn =
  <T extends Table>(table: T, prefix: string) =>
  <N extends keyof T & string>(name: N) => {
    const { help, labels = [], seconds = [] } = table[name] as MetricDescription
    return { name: `${prefix}${name}`, help, labels: labels as readonly LabelOf<T, N>[], seconds }
  }

type Labels<L extends string> = Readonly<Record<L, string>>

interface Described<L extends string> {
  /** the full name, as in a query: `experiment_webhook_reviews_total` */
  readonly name: string
  readonly help: string
  readonly labels?: readonly L[]
}

interface Buckets {
  /** the upper bounds of the buckets */
  readonly seconds: readonly number[]
}

/** The labels of one series, and its value. */
export type MetricSeries<L extends string> = readonly [labels: Labels<L>, value: number]

/** How often each combination of labels occurs in `all`. */
export const counted = <L extends string>(all: readonly Labels<L>[]): readonly MetricSeries<L>[] =>
  combined(
    all.map((labels) => [labels, 1]),
    (count, more) => count + more,
  )

/** The largest value of each combination of labels in `all`. */
export const largest = <L extends string>(all: readonly MetricSeries<L>[]): readonly MetricSeries<L>[] =>
  combined(all, Math.max)

function combined<L extends string>(
  all: readonly MetricSeries<L>[],
  combine: (before: number, value: number) => number,
): readonly MetricSeries<L>[] {
  const found = new Map<string, MetricSeries<L>>()
  for (const [labels, value] of all) {
    const key = Object.values(labels).join('/')
    const before = found.get(key)
    found.set(key, [labels, before ? combine(before[1], value) : value])
  }
  return [...found.values()]
}

/** Adds `count`, or one, to the series of `labels`. */
export type Count<L extends string> = (labels: Labels<L>, count?: number) => void

/** Starts measuring. The returned function stops it, and records the seconds under `labels`. */
type Stopwatch<L extends string> = () => (labels: Labels<L>) => void

/**
 * The metrics of one program, in their own registry, so that two programs in one process (as in tests) do not share
 * them. Label values are words from a short list in our code. A name, namespace, uid, image or message would make one
 * series per object, and the monitor would run out of memory.
 */
export class Metrics {
  readonly #registry = new Registry()

  /** A counter. Without labels it begins at 0; with labels a series appears when it is first counted. */
  counter<L extends string = never>({ name, help, labels = [] }: Described<L>): Count<L> {
    const counter = new Counter({ name, help, labelNames: labels, registers: [this.#registry] })
    return (of, count = 1) => counter.inc(of, count)
  }

  /** A value that is read at each scrape. Undefined keeps the previous value. */
  gauge({ name, help, read }: Described<never> & { readonly read: () => number | undefined }): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: () => {
        const value = read()
        if (value !== undefined) gauge.set(value)
      },
    })
  }

  /** A gauge of several series, all of which are read at each scrape. A series that is not read again is dropped. */
  gauges<L extends string>(of: Described<L> & { readonly read: () => Iterable<MetricSeries<L>> }): void {
    const { name, help, labels = [], read } = of
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [this.#registry],
      collect: () => {
        gauge.reset()
        for (const [labels, value] of read()) gauge.set(labels, value)
      },
    })
  }

  /** A counter that other code keeps: its value is read at each scrape and never falls. */
  total({ name, help, read }: Described<never> & { readonly read: () => number }): void {
    const counter: Counter = new Counter({
      name,
      help,
      registers: [this.#registry],
      collect: () => {
        counter.reset()
        counter.inc(read())
      },
    })
  }

  /** A histogram of durations, in seconds. @param seconds the upper bounds of its buckets */
  histogram<L extends string = never>(of: Described<L> & Buckets): (labels: Labels<L>, seconds: number) => void {
    const histogram = this.#histogram(of)
    return (labels, seconds) => histogram.observe(labels, seconds)
  }

  /** As `histogram`, but it measures the durations itself. */
  durations<L extends string = never>(of: Described<L> & Buckets): Stopwatch<L> {
    const histogram = this.#histogram(of)
    return () => {
      const stop = histogram.startTimer()
      return (of) => void stop(of)
    }
  }

  #histogram<L extends string>({ name, help, labels = [], seconds }: Described<L> & Buckets): Histogram<L> {
    return new Histogram({ name, help, labelNames: labels, buckets: [...seconds], registers: [this.#registry] })
  }

  /** Adds the default metrics of Node: memory, event loop lag and others. They measure the process from then on. */
  addNode(prefix: string): void {
    collectDefaultMetrics({ register: this.#registry, prefix })
  }

  /** All metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
