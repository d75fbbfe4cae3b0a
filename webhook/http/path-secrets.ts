import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Timers } from '../../common/program/clock.ts'
import type { Log } from '../../common/program/log.ts'

const POLL_MS = 10_000
/** Long enough that nobody guesses it, and needs no escape in a URL. */
const SECRET = /^[\w-]{32,128}$/

interface PathSecretsOptions {
  /** the directory of a mounted Secret; each line of its files is a secret. It may be absent */
  readonly directory: string
  readonly timers: Timers
  readonly log: Log
}

/**
 * The secrets by which the API server proves who it is: it calls `/validate/SECRET`. They are read again while the
 * webhook runs, so that a new secret is accepted beside the old one before the API server uses it. Once there was a
 * secret, a directory without any does not let everybody in.
 */
export class PathSecrets {
  readonly #options: PathSecretsOptions
  #accepted: readonly string[]
  #loggedFinding: string | undefined
  #cancelPoll: () => void = () => undefined

  /** @throws Error that names the file with a line that is no secret */
  constructor(options: PathSecretsOptions) {
    this.#options = options
    this.#accepted = secretsIn(options.directory)
  }

  /** The accepted secrets. None: any caller is accepted. */
  get accepted(): readonly string[] {
    return this.#accepted
  }

  /** Reads the files every ten seconds, until `stop`. */
  watch(): void {
    this.#cancelPoll = this.#options.timers.after(POLL_MS, () => {
      this.#replace()
      this.watch()
    })
  }

  stop(): void {
    this.#cancelPoll()
  }

  #replace(): void {
    const { directory, log } = this.#options
    const found = attempt(() => secretsIn(directory))
    const finding =
      found instanceof Error
        ? found.message
        : found.length < Math.min(1, this.#accepted.length)
          ? 'none found'
          : undefined
    if (finding !== undefined && finding !== this.#loggedFinding) log.warn({ finding }, 'path secrets not replaced')
    this.#loggedFinding = finding
    if (found instanceof Error || finding !== undefined || found.join() === this.#accepted.join()) return
    this.#accepted = found
    log.info({ secrets: found.length }, 'path secrets replaced')
  }
}

const attempt = <T>(read: () => T): T | Error => {
  try {
    return read()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** The secrets in the files of `directory`. Those that begin with a dot belong to kubelet. */
function secretsIn(directory: string): readonly string[] {
  return namesIn(directory).flatMap((name) => {
    const file = join(directory, name)
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    if (lines.every((line) => SECRET.test(line))) return lines
    // without the line: it is secret
    throw new Error(`${file}: expected lines of 32 to 128 letters, digits, "-" and "_"`)
  })
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !name.startsWith('.'))
      .sort()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
