import { watch as fsWatch, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock, Timers } from '../common/clock.ts'
import { factsOf } from '../common/kube/errors.ts'
import type { Log } from '../common/log.ts'
import { dateProblem, type Examined, examine } from './certificate.ts'
import type { Pair } from './tls.ts'

/** kubelet renews a volume by several changes in a row; its swap of `..data` is one of them. */
const DEBOUNCE_MS = 250
/** for a directory that cannot be watched, or whose events got lost */
const POLL_MS = 10_000

export interface CertificateFilesOptions {
  readonly certFile: string
  readonly keyFile: string
  /** PEM of the authority of callers, if they need a certificate */
  readonly clientCaFile?: string | undefined
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  /** told of each look that found something unusable */
  readonly onUnusable?: () => void
}

type Usable = Extract<Examined, { is: 'usable' }> & { readonly pair: Pair }

/**
 * The certificate in files that somebody else renews. Serves the last usable one: with an old certificate clients are
 * answered until it expires, with a broken one nobody is.
 */
export class CertificateFiles {
  readonly #options: CertificateFilesOptions
  readonly #stops: (() => void)[] = []
  #current: Usable
  #told: string | undefined
  #isStopped = false
  #cancelPoll: () => void = () => undefined
  #cancelDebounce: () => void = () => undefined

  /** @throws Error that names file and finding, if they cannot be served as they are */
  constructor(options: CertificateFilesOptions) {
    this.#options = options
    const found = this.#look()
    if (found.is === 'unusable') throw new Error(`${options.certFile}, ${options.keyFile}: ${found.finding}`)
    this.#current = found
  }

  /** What to serve. */
  get pair(): Pair {
    return this.#current.pair
  }

  /** When the one that is served ends. */
  get notAfter(): Date {
    return this.#current.leaf.validToDate
  }

  /** What clients have against the one that is served, now. */
  get finding(): string | undefined {
    return dateProblem(this.#current.leaf, this.#options.clock())
  }

  /** Calls `use` with every further pair that can be served, until `stop`. @throws what `use` throws */
  follow(use: (pair: Pair) => void): void {
    const look = () => this.#replace(use)
    const poll = () => {
      this.#cancelPoll = this.#options.timers.after(POLL_MS, () => {
        look()
        if (!this.#isStopped) poll()
      })
    }
    const soon = () => {
      this.#cancelDebounce()
      this.#cancelDebounce = this.#options.timers.after(DEBOUNCE_MS, look)
    }
    poll()
    for (const directory of new Set(this.#files.map((file) => dirname(file)))) this.#watch(directory, soon)
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelPoll()
    this.#cancelDebounce()
    for (const stop of this.#stops.splice(0)) stop()
  }

  get #files(): readonly string[] {
    const { certFile, keyFile, clientCaFile } = this.#options
    return [certFile, keyFile, ...(clientCaFile === undefined ? [] : [clientCaFile])]
  }

  /** Of a watched file one would see nothing: it is a link into a directory that is swapped as a whole. */
  #watch(directory: string, changed: () => void): void {
    const { log } = this.#options
    try {
      const watcher = fsWatch(directory, changed)
      watcher.on('error', (error) => log.warn({ directory, ...factsOf(error) }, 'directory no longer watched'))
      this.#stops.push(() => watcher.close())
    } catch (error) {
      log.warn({ directory, ...factsOf(error) }, 'directory cannot be watched, only polled')
    }
  }

  #replace(use: (pair: Pair) => void): void {
    const found = this.#look()
    const { log, onUnusable } = this.#options
    if (found.is === 'unusable') {
      onUnusable?.()
      if (found.finding !== this.#told) log.warn({ finding: found.finding }, 'certificate not replaced')
      this.#told = found.finding
      return
    }
    this.#told = undefined
    if (isSame(found.pair, this.#current.pair)) return
    use(found.pair)
    this.#current = found
    log.info({ notAfter: this.notAfter.toISOString() }, 'certificate replaced')
  }

  #look(): Usable | Extract<Examined, { is: 'unusable' }> {
    try {
      const [cert = '', key = '', clientCa] = this.#files.map((file) => readFileSync(file, 'utf8'))
      const pair = { cert, key, ...(clientCa !== undefined && { clientCa }) }
      const found = examine(pair, this.#options.clock())
      return found.is === 'usable' ? { ...found, pair } : found
    } catch (error) {
      return { is: 'unusable', finding: error instanceof Error ? error.message : String(error) } // it names the file
    }
  }
}

const isSame = (one: Pair, other: Pair): boolean =>
  one.cert === other.cert && one.key === other.key && one.clientCa === other.clientCa
