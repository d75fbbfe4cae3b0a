import { at, objectOr } from '../api/object.ts'
import type { NamespaceView } from '../api/policy.ts'
import type { Timers } from '../clock.ts'
import type { KubeClient } from './client.ts'
import { KubeError } from './errors.ts'
import { pathOf, RESOURCES } from './resources.ts'

/** How long what was read is good for: so late, at worst, does a policy apply after a namespace was labelled. */
const KEPT_MS = 60_000

/** The label that the API server gives every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

interface Entry {
  readonly read: Promise<NamespaceView | undefined>
  readonly sinceMs: number
}

export interface NamespacesOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly timers: Pick<Timers, 'now'>
  readonly deadlineMs: number
}

/** Namespaces as policies see them, as of a minute ago at most. Whoever asks while one is read shares the reading. */
export class Namespaces {
  readonly #options: NamespacesOptions
  readonly #entries = new Map<string, Entry>()

  constructor(options: NamespacesOptions) {
    this.#options = options
  }

  /** Namespaces that are remembered. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * The namespace `name`; undefined where nobody can tell now. One that is not there has the label of its name alone, and
   * is asked for again.
   */
  of(name: string): Promise<NamespaceView | undefined> {
    this.#sweep()
    const known = this.#entries.get(name)
    if (known) return known.read
    const read = this.#read(name)
    this.#entries.set(name, { read, sinceMs: this.#options.timers.now() })
    return read
  }

  async #read(name: string): Promise<NamespaceView | undefined> {
    const { client, deadlineMs } = this.#options
    try {
      const path = pathOf(RESOURCES.Namespace, { name })
      const found = await client.request({ verb: 'get', path, expects: 'Namespace', deadlineMs })
      const labels = Object.entries(objectOr(at(found, 'metadata', 'labels'))).map(([key, value]) => [key, `${value}`])
      return { name, labels: Object.fromEntries(labels) }
    } catch (error) {
      this.#entries.delete(name)
      if (!(error instanceof KubeError)) throw error
      return error.kind === 'notFound' ? { name, labels: { [NAME_LABEL]: name } } : undefined
    }
  }

  /** A Map keeps the order of insertion, so the oldest come first. */
  #sweep(): void {
    for (const [name, { sinceMs }] of this.#entries) {
      if (this.#options.timers.now() - sinceMs < KEPT_MS) return
      this.#entries.delete(name)
    }
  }
}
