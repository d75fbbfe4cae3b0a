import type { NamespaceView } from '../common/api/policy.ts'
import type { Timers } from '../common/clock.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { KubeError } from '../common/kube/errors.ts'
import { readNamespace } from '../common/kube/namespace.ts'
import { type Reading, Remembered } from './remembered.ts'

/** How long what was read is good for: so late, at worst, does a policy apply after a namespace was labelled. */
const KEPT_MS = 60_000

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
      const { view, isThere } = await readNamespace(client, name, deadlineMs)
      return { value: view, isLasting: isThere }
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      return { value: undefined, isLasting: false }
    }
  }
}
