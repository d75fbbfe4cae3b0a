import type { Key } from '../runtime/queue.ts'

/** Stands for every Service of a namespace. It is no valid name of one. */
const EVERY = '*'
const EVERY_SERVICE: ReadonlySet<string> = new Set([EVERY])

/**
 * The experiments to which the endpoints of each Service matter, so that a changed endpoint wakes no others. The last
 * pass over an experiment decided which Services these are. During a pass all Services of the namespace matter, because
 * what has been read may be outdated before it is known to matter. An experiment is woken once: until its next pass
 * begins, further changes cost nothing, however many experiments follow the Service.
 */
export class ServiceFollowers {
  // by `namespace/service`, those that were not woken since their last pass
  readonly #keys = new Map<string, Set<Key>>()
  // those that were woken only because numbers changed, so that another change may still wake them earlier
  readonly #late = new Map<string, Set<Key>>()
  readonly #services = new Map<Key, readonly string[]>()
  readonly #isKnown: (key: Key) => boolean

  /**
   * @param isKnown whether there is such an experiment; one that is deleted during its pass follows nothing any more
   */
  constructor(isKnown: (key: Key) => boolean) {
    this.#isKnown = isKnown
  }

  /** How many entries its maps have; 0 when all experiments are gone. For tests. */
  get entryCount(): number {
    return this.#keys.size + this.#late.size + this.#services.size
  }

  /**
   * The experiments to which the endpoints of `service` matter. The caller wakes them, so each is returned once, and
   * once more after a call with `onlyNumbers`.
   */
  take(namespace: string, service: string, { onlyNumbers = false } = {}): readonly Key[] {
    const names = [EVERY, service].map((name) => `${namespace}/${name}`)
    const keys = names.flatMap((name) => [
      ...(this.#keys.get(name) ?? []),
      ...(onlyNumbers ? [] : (this.#late.get(name) ?? [])),
    ])
    for (const name of names) {
      const late = onlyNumbers ? this.#keys.get(name)?.union(this.#late.get(name) ?? new Set<Key>()) : undefined
      this.#keys.delete(name)
      if (late) this.#late.set(name, late)
      else if (!onlyNumbers) this.#late.delete(name)
    }
    return keys
  }

  /** A pass over `key` reads the Services of `namespace`, and it is not known yet which of them matter. */
  followAll(key: Key, namespace: string): void {
    this.follow(key, namespace, EVERY_SERVICE)
  }

  /** From now on only these Services of `namespace` matter to `key`. */
  follow(key: Key, namespace: string, services: ReadonlySet<string>): void {
    this.forget(key)
    if (services.size === 0 || !this.#isKnown(key)) return
    const names = Array.from(services, (service) => `${namespace}/${service}`)
    this.#services.set(key, names)
    for (const name of names) this.#keys.set(name, (this.#keys.get(name) ?? new Set()).add(key))
  }

  /** The experiment is gone. */
  forget(key: Key): void {
    for (const name of this.#services.get(key) ?? [])
      for (const all of [this.#keys, this.#late]) {
        const keys = all.get(name)
        keys?.delete(key)
        if (keys?.size === 0) all.delete(name)
      }
    this.#services.delete(key)
  }
}
