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
  readonly view: NamespaceView
  readonly readMs: number
}

/** Of the API server only what is read here. */
type Reader = Pick<KubeClient, 'request'>

/** Namespaces as policies see them, as of a minute ago at most. Holds those that were asked for within it. */
export class NamespaceCache {
  readonly #timers: Pick<Timers, 'now'>
  readonly #entries = new Map<string, Entry>()

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
  }

  /** Namespaces that are remembered. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * The namespace `name`, asked of `kube` where it is not remembered; undefined where nobody can tell now. One that is
   * not there has the label of its name alone, and is asked for again.
   */
  async of(kube: Reader, name: string): Promise<NamespaceView | undefined> {
    this.#sweep()
    const known = this.#entries.get(name)
    if (known) return known.view
    try {
      const found = await kube.request({
        verb: 'get',
        path: pathOf(RESOURCES.Namespace, { name }),
        expects: 'Namespace',
      })
      const labels = Object.entries(objectOr(at(found, 'metadata', 'labels'))).map(([key, value]) => [key, `${value}`])
      const view = { name, labels: Object.fromEntries(labels) }
      this.#entries.set(name, { view, readMs: this.#timers.now() })
      return view
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      return error.kind === 'notFound' ? { name, labels: { [NAME_LABEL]: name } } : undefined
    }
  }

  /** A Map keeps the order of insertion, so the oldest come first. */
  #sweep(): void {
    for (const [name, { readMs }] of this.#entries) {
      if (this.#timers.now() - readMs < KEPT_MS) return
      this.#entries.delete(name)
    }
  }
}
