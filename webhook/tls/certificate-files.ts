import { watch as fsWatch, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { factsOf } from '../../common/kube/client/errors.ts'
import type { Clock, Timers } from '../../common/program/clock.ts'
import type { Log } from '../../common/program/log.ts'
import { type CertificateCheck, checkCertificate, dateProblem } from './certificate.ts'
import type { CertificatePair } from './server.ts'

/** kubelet updates a volume by several changes in a row. Replacing the link `..data` is one of them. */
const DEBOUNCE_MS = 250
/** For directories that cannot be watched, and for lost events. */
const POLL_MS = 10_000

interface CertificateFilesOptions {
  readonly certFile: string
  readonly keyFile: string
  /** PEM of the authority of client certificates, if they are required */
  readonly clientCaFile?: string | undefined
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  /** called for each check that finds unusable files */
  readonly onUnusable?: () => void
}

type Usable = Extract<CertificateCheck, { is: 'usable' }> & { readonly pair: CertificatePair }

/** A certificate in files that another program renews. Holds the last usable one: clients never accept a broken one. */
export class CertificateFiles {
  readonly #options: CertificateFilesOptions
  readonly #stops: (() => void)[] = []
  #current: Usable
  #loggedFinding: string | undefined
  #isStopped = false
  #cancelPoll: () => void = () => undefined
  #cancelDebounce: () => void = () => undefined

  /** @throws Error with files and finding, if the files cannot be served */
  constructor(options: CertificateFilesOptions) {
    this.#options = options
    const found = this.#check()
    if (found.is === 'unusable') throw new Error(`${options.certFile}, ${options.keyFile}: ${found.finding}`)
    this.#current = found
  }

  /** The certificate to serve. */
  get pair(): CertificatePair {
    return this.#current.pair
  }

  /** When the served certificate expires. */
  get notAfter(): Date {
    return this.#current.leaf.validToDate
  }

  /** Why the served certificate is not valid now; undefined if it is. */
  get finding(): string | undefined {
    return dateProblem(this.#current.leaf, this.#options.clock())
  }

  /** Calls `use` with every new certificate that can be served, until `stop`. @throws what `use` throws */
  watch(use: (pair: CertificatePair) => void): void {
    const check = () => this.#replace(use)
    const poll = () => {
      this.#cancelPoll = this.#options.timers.after(POLL_MS, () => {
        check()
        if (!this.#isStopped) poll()
      })
    }
    const soon = () => {
      this.#cancelDebounce()
      this.#cancelDebounce = this.#options.timers.after(DEBOUNCE_MS, check)
    }
    poll()
    for (const directory of new Set(this.#files.map((file) => dirname(file)))) this.#watchDirectory(directory, soon)
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

  /** Watches the directory: the file is a link into another directory, so watching it would report nothing. */
  #watchDirectory(directory: string, changed: () => void): void {
    const { log } = this.#options
    try {
      const watcher = fsWatch(directory, changed)
      watcher.on('error', (error) => log.warn({ directory, ...factsOf(error) }, 'directory no longer watched'))
      this.#stops.push(() => watcher.close())
    } catch (error) {
      log.warn({ directory, ...factsOf(error) }, 'directory cannot be watched, only polled')
    }
  }

  #replace(use: (pair: CertificatePair) => void): void {
    const found = this.#check()
    const { log, onUnusable } = this.#options
    if (found.is === 'unusable') {
      onUnusable?.()
      if (found.finding !== this.#loggedFinding) log.warn({ finding: found.finding }, 'certificate not replaced')
      this.#loggedFinding = found.finding
      return
    }
    this.#loggedFinding = undefined
    if (isSame(found.pair, this.#current.pair)) return
    use(found.pair)
    this.#current = found
    log.info({ notAfter: this.notAfter.toISOString() }, 'certificate replaced')
  }

  #check(): Usable | Extract<CertificateCheck, { is: 'unusable' }> {
    try {
      const [cert = '', key = '', clientCa] = this.#files.map((file) => readFileSync(file, 'utf8'))
      const pair = { cert, key, ...(clientCa !== undefined && { clientCa }) }
      const found = checkCertificate(pair, this.#options.clock())
      return found.is === 'usable' ? { ...found, pair } : found
    } catch (error) {
      // the message names the file
      return { is: 'unusable', finding: error instanceof Error ? error.message : String(error) }
    }
  }
}

const isSame = (one: CertificatePair, other: CertificatePair): boolean =>
  one.cert === other.cert && one.key === other.key && one.clientCa === other.clientCa
