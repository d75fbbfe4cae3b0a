import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

type Labels<L extends string> = Readonly<Record<L, string>>

interface Described<L extends string> {
  /** whole, as a query writes it: `experiment_webhook_reviews_total` */
  readonly name: string
  readonly help: string
  readonly labels?: readonly L[]
}

/** Counts one more of `labels`. */
export type Count<L extends string> = (labels: Labels<L>) => void

/** Starts a watch; what it returns stops it and files the seconds under `labels`. */
export type Stopwatch<L extends string> = () => (labels: Labels<L>) => void

/**
 * What a program tells its monitor, in a registry of its own: two programs of one process, as in tests, do not meet.
 * Labels hold words of ours, of which there are few. A name, namespace, uid, image or message makes a series per object
 * and ends in a monitor without memory.
 */
export class Metrics {
  readonly #registry = new Registry()

  /** Begins at 0 where there are no labels; with labels a series is there once it was counted. */
  counter<L extends string = never>({ name, help, labels = [] }: Described<L>): Count<L> {
    const counter = new Counter({ name, help, labelNames: labels, registers: [this.#registry] })
    return (of) => counter.inc(of)
  }

  /** A value that is read when the monitor asks; undefined leaves it as it was. */
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

  /** Durations, counted up to each of `seconds`. */
  durations<L extends string = never>({
    name,
    help,
    labels = [],
    seconds,
  }: Described<L> & { readonly seconds: readonly number[] }): Stopwatch<L> {
    const buckets = [...seconds]
    const histogram = new Histogram({ name, help, labelNames: labels, buckets, registers: [this.#registry] })
    return () => {
      const stop = histogram.startTimer()
      return (of) => void stop(of)
    }
  }

  /** Node's own, among them memory and the lag of the event loop. Watches the process from then on. */
  addNode(prefix: string): void {
    collectDefaultMetrics({ register: this.#registry, prefix })
  }

  /** All of them, in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
