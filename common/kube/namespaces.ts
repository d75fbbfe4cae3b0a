import { at, objectOr } from '../api/object.ts'
import type { NamespaceView } from '../api/policy.ts'
import type { Timers } from '../clock.ts'
import { type Reading, Remembered } from '../remembered.ts'
import type { KubeClient } from './client.ts'
import { KubeError } from './errors.ts'
import { pathOf, RESOURCES } from './resources.ts'

/** How long what was read is good for: so late, at worst, does a policy apply after a namespace was labelled. */
const KEPT_MS = 60_000

/** The label that the API server gives every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

export interface NamespacesOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly timers: Pick<Timers, 'now'>
  readonly deadlineMs: number
}

/** Namespaces as policies see them, as of a minute ago at most. Whoever asks while one is read shares the reading. */
export class Namespaces {
  readonly #options: NamespacesOptions
  readonly #remembered: Remembered<NamespaceView | undefined>

  constructor(options: NamespacesOptions) {
    this.#options = options
    this.#remembered = new Remembered(options.timers, KEPT_MS)
  }

  /** Namespaces that are remembered. */
  get size(): number {
    return this.#remembered.size
  }

  /**
   * The namespace `name`; undefined where nobody can tell now. One that is not there has the label of its name alone, and
   * is asked for again.
   */
  of(name: string): Promise<NamespaceView | undefined> {
    return this.#remembered.of(name, () => this.#read(name))
  }

  async #read(name: string): Promise<Reading<NamespaceView | undefined>> {
    const { client, deadlineMs } = this.#options
    try {
      const path = pathOf(RESOURCES.Namespace, { name })
      const found = await client.request({ verb: 'get', path, expects: 'Namespace', deadlineMs })
      const labels = Object.entries(objectOr(at(found, 'metadata', 'labels'))).map(([key, value]) => [key, `${value}`])
      return { value: { name, labels: Object.fromEntries(labels) }, isLasting: true }
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      const value = error.kind === 'notFound' ? { name, labels: { [NAME_LABEL]: name } } : undefined
      return { value, isLasting: false }
    }
  }
}
