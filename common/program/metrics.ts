import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

type Labels<L extends string> = Readonly<Record<L, string>>

interface Described<L extends string> {
  /** the full name, as in a query: `experiment_webhook_reviews_total` */
  readonly name: string
  readonly help: string
  readonly labels?: readonly L[]
}

/** Adds one to the series of `labels`. */
export type Count<L extends string> = (labels: Labels<L>) => void

/** Starts measuring. The returned function stops it, and records the seconds under `labels`. */
export type Stopwatch<L extends string> = () => (labels: Labels<L>) => void

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
    return (of) => counter.inc(of)
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

  /** A histogram of durations. @param seconds the upper bounds of its buckets */
  durations<L extends string = never>(of: Described<L> & { readonly seconds: readonly number[] }): Stopwatch<L> {
    const { name, help, labels = [], seconds } = of
    const buckets = [...seconds]
    const histogram = new Histogram({ name, help, labelNames: labels, buckets, registers: [this.#registry] })
    return () => {
      const stop = histogram.startTimer()
      return (of) => void stop(of)
    }
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
