import { spawn } from 'node:child_process'
import { at, parseJson } from '../../json/json.ts'
import type { Clock, Timers } from '../../program/clock.ts'
import type { Vars } from '../../program/env.ts'
import { printable } from '../../text/printable.ts'
import { quoted } from '../../text/quoted.ts'
import type { Connection } from '../config/connection.ts'
import type { Cluster, ExecConfig } from '../config/kubeconfig.ts'
import { authorityOf } from '../config/tls.ts'
import { LoginFailed } from './errors.ts'

/** The longest answer of a plugin, in characters. A certificate with its chain has some thousand. */
const MAX_ANSWER = 1024 * 1024
/** So long an answer is used at least: that of a fast clock may have expired already. */
const MIN_LIFE_MS = 10_000
/** So long an answer that replaced a refused one is used, also if it is refused: people log in for each. */
const RERUN_AFTER_MS = 60_000
const MAX_HINT = 1_024

/** What a credential plugin answers. */
export interface ExecAnswer {
  readonly token?: string
  /** PEM, always with a key */
  readonly cert?: string
  readonly key?: string
}

export interface ExecOptions {
  readonly connection: Connection & { readonly user: { readonly exec: ExecConfig } }
  /** the environment of the plugin, but for its own variables */
  readonly vars: Vars
  /** whether standard input is a terminal */
  readonly isTerminal: boolean
  readonly timers: Pick<Timers, 'now'>
  /** default: an answer does not expire */
  readonly clock?: Clock | undefined
  /** ends a plugin that runs */
  readonly signal?: AbortSignal | undefined
}

/**
 * Credentials that a program prints, as kubectl runs it. Its prompts go to the terminal, and it may take as long as
 * people need to log in. Its answer is used until it expires or is refused.
 */
export class ExecCredential {
  readonly #options: ExecOptions
  readonly #closing = new AbortController()
  #running: Promise<ExecAnswer> | undefined
  #answer: { readonly is: ExecAnswer; readonly expiresAt: number } | undefined
  #rerunAt = Number.NEGATIVE_INFINITY

  constructor(options: ExecOptions) {
    this.#options = options
  }

  /** Whether the program must run before there is an answer, or runs. */
  get isDue(): boolean {
    return this.#answer === undefined || this.#now > this.#answer.expiresAt
  }

  get #now(): number {
    return this.#options.clock?.().getTime() ?? Number.NEGATIVE_INFINITY
  }

  /** The answer. Runs the program if that is due, once for all who wait. @throws LoginFailed */
  async answer(): Promise<ExecAnswer> {
    if (this.#answer && !this.isDue) return this.#answer.is
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** The API server answered 401: the next request runs the program again, unless that has just been done. */
  refused(): void {
    const now = this.#options.timers.now()
    if (now - this.#rerunAt < RERUN_AFTER_MS) return
    this.#rerunAt = now
    this.#answer = undefined
  }

  /** Ends the program if it runs. */
  close(): void {
    this.#closing.abort()
  }

  async #run(): Promise<ExecAnswer> {
    const { exec } = this.#options.connection.user
    const { status, expiresAt } = answerIn(await this.#printed(exec), exec)
    this.#answer = { is: status, expiresAt: Math.max(expiresAt, this.#now + MIN_LIFE_MS) }
    return status
  }

  /** What the program prints. */
  #printed(exec: ExecConfig): Promise<string> {
    const { connection, vars, isTerminal, signal = this.#closing.signal } = this.#options
    const isInteractive = mayAsk(exec, isTerminal)
    const info = JSON.stringify(execInfo(exec, connection.cluster, isInteractive))
    return new Promise((resolve, reject) => {
      const child = spawn(exec.command, [...exec.args], {
        stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
        env: { ...vars, ...exec.env, KUBERNETES_EXEC_INFO: info },
        signal: AbortSignal.any([signal, this.#closing.signal]),
      })
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text
        if (printed.length > MAX_ANSWER) child.kill()
      })
      child.once('error', (error) => reject(notRun(exec, connection, error)))
      child.once('close', (code, by) => {
        if (printed.length > MAX_ANSWER) reject(failed(exec, 'printed more than 1 MiB', 'correct its arguments'))
        else if (code === 0) resolve(printed)
        else reject(failed(exec, `ended ${by ? `by ${by}` : `with code ${code}`}`, 'what it printed says why'))
      })
    })
  }
}

const failed = ({ command }: ExecConfig, finding: string, remedy: string, cause?: unknown): LoginFailed =>
  new LoginFailed(`the credential plugin ${quoted(command)} ${finding}: ${remedy}`, { cause })

/** Whether the program may read from standard input. @throws LoginFailed if it must and cannot */
function mayAsk(exec: ExecConfig, isTerminal: boolean): boolean {
  const { interactiveMode = 'IfAvailable' } = exec
  if (interactiveMode === 'Always' && !isTerminal)
    throw failed(exec, 'asks for input, and standard input is no terminal', 'run this on a terminal')
  return interactiveMode !== 'Never' && isTerminal
}

/** The value of `KUBERNETES_EXEC_INFO`. Empty members are left out, as client-go does. */
function execInfo({ apiVersion, provideClusterInfo }: ExecConfig, cluster: Cluster, interactive: boolean): object {
  return {
    kind: 'ExecCredential',
    apiVersion,
    spec: { ...(provideClusterInfo ? { cluster: clusterInfo(cluster) } : {}), interactive },
  }
}

function clusterInfo(cluster: Cluster): object {
  const ca = authorityOf(cluster)
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.isInsecure || undefined,
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(ca).toString('base64'),
    'proxy-url': cluster.proxyUrl,
    'disable-compression': cluster.disableCompression || undefined,
    config: cluster.execConfig ?? null,
  }
}

function notRun(exec: ExecConfig, { user }: Connection, error: Error): LoginFailed {
  const place = `${user.place}.exec.command`
  if (at(error, 'code') === 'ABORT_ERR') return failed(exec, 'was ended before it answered', 'run this again', error)
  if (at(error, 'code') !== 'ENOENT') return failed(exec, `cannot be run (${error.message})`, `see ${place}`, error)
  const hint = exec.installHint && printable(exec.installHint.trim().replaceAll(/\s+/g, ' '), MAX_HINT)
  return failed(exec, 'was not found', hint || `install it, or correct ${place}`, error)
}

/** What the program has printed. @throws LoginFailed if that is no `ExecCredential` of the version of the kubeconfig */
function answerIn(printed: string, exec: ExecConfig): { readonly status: ExecAnswer; readonly expiresAt: number } {
  const refuse = (finding: string): never => {
    throw failed(exec, finding, 'update it, or correct its arguments and apiVersion in the kubeconfig')
  }
  const answer = parseJson(printed)
  if (at(answer, 'kind') !== 'ExecCredential') return refuse('did not print an ExecCredential')
  const version = at(answer, 'apiVersion')
  if (version !== exec.apiVersion)
    refuse(`printed the apiVersion ${quoted(`${version}`)} instead of ${quoted(exec.apiVersion ?? '')}`)
  const text = (key: string): string | undefined => {
    const value = at(answer, 'status', key) ?? ''
    return typeof value === 'string' ? value || undefined : refuse(`printed a status.${key} that is no text`)
  }
  const [token, cert, key] = [text('token'), text('clientCertificateData'), text('clientKeyData')]
  if (!token && !cert && !key) refuse('printed neither a token nor a certificate')
  if (!cert !== !key) refuse('printed only one of certificate and key')
  const expires = text('expirationTimestamp')
  const expiresAt = expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires)
  if (Number.isNaN(expiresAt)) refuse('printed a status.expirationTimestamp that is no time')
  return { status: { ...(token ? { token } : {}), ...(cert && key ? { cert, key } : {}) }, expiresAt }
}
