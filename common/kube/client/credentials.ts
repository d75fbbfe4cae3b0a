import { isDeepStrictEqual } from 'node:util'
import type { Clock, Timers } from '../../program/clock.ts'
import type { Vars } from '../../program/env.ts'
import { quoted } from '../../text/quoted.ts'
import type { Connection } from '../config/connection.ts'
import { proxyFor } from '../config/env-proxy.ts'
import { KubeconfigError } from '../config/found.ts'
import { authorizationOf, type Headers, impersonation, isKnown } from '../config/identity.ts'
import type { Cluster, User } from '../config/kubeconfig.ts'
import { clientTls, serverTls } from '../config/tls.ts'
import type { ApiServerAccess, KubeCredentials } from './access.ts'
import { type ExecAnswer, ExecCredential } from './exec-credential.ts'
import { type CredentialsSource, connectionOf } from './kubeconfig-choice.ts'
import { Pool, type PoolOptions } from './pool.ts'

/** How long credentials from disk are used. A rotated CA or token is noticed within this time. */
const REREAD_AFTER_MS = 10_000

export interface CredentialsOptions extends PoolOptions {
  /** what flags chose, or a server that is known otherwise */
  readonly kubeconfig: CredentialsSource
  readonly timers: Timers
  /** the environment, in which a pod finds its API server, and credential plugins what they need; default: empty */
  readonly vars?: Vars
  /** says when the answer of a credential plugin expires; default: when it is refused */
  readonly clock?: Clock
  /** whether standard input is a terminal, which credential plugins may use; default: no */
  readonly isTerminal?: boolean
  /** ends a credential plugin that runs */
  readonly signal?: AbortSignal
}

/** The credentials for the API server as kubectl reads them, and the connections to it. */
export class Credentials implements KubeCredentials {
  readonly #options: CredentialsOptions
  readonly #vars: Vars
  readonly #timers: Timers
  readonly #pool: Pool
  #connection: Connection
  #exec: ExecCredential | undefined
  #access: Promise<ApiServerAccess> | undefined
  #readAt = 0

  /** @throws KubeconfigError for a server that is no URL, and for a login that is built into other clients */
  constructor(options: CredentialsOptions) {
    this.#options = options
    this.#vars = options.vars ?? {}
    this.#timers = options.timers
    this.#pool = new Pool(options)
    const { kubeconfig } = options
    this.#connection = usable('files' in kubeconfig ? kubeconfig.connection : this.#read())
    this.#exec = this.#execOf(this.#connection)
  }

  /** The present credentials, at most `REREAD_AFTER_MS` old. @throws KubeconfigError, LoginFailed */
  access(): Promise<ApiServerAccess> {
    const isFresh = this.#timers.now() - this.#readAt < REREAD_AFTER_MS && !this.#exec?.isDue
    if (this.#access && isFresh) return this.#access
    this.#readAt = this.#timers.now()
    const access = this.#compose()
    this.#access = access
    access.catch(() => this.drop(access))
    return access
  }

  /** What a credential plugin answers, which may run until people have logged in; undefined if none has to run. */
  login(): Promise<unknown> | undefined {
    return this.#exec?.isDue ? this.#exec.answer() : undefined
  }

  /**
   * Reads the kubeconfig again after the server refused `refused`, unless another request has done so. A credential
   * plugin runs again.
   */
  reload(refused: Promise<ApiServerAccess>): void {
    if (this.#access !== refused) return
    this.#exec?.refused()
    this.#forget()
  }

  /**
   * Forgets `failed`, so that the next request reads certificates and token again, also those that the kubeconfig
   * contains. While that cannot be read, for example because it is being written, the known one counts.
   */
  drop(failed: Promise<ApiServerAccess>): void {
    if (this.#access !== failed) return
    try {
      this.#forget()
    } catch {
      // `failed` is forgotten, and the failure itself goes to the caller
    }
  }

  async close(): Promise<void> {
    this.#exec?.close()
    await this.#pool.destroy()
  }

  #forget(): void {
    this.#access = undefined
    const connection = usable(this.#read())
    const { cluster, user } = this.#connection
    // the namespace says nothing to the API server, and a choice by flags has its default already
    if (isDeepStrictEqual([connection.cluster, connection.user], [cluster, user])) return
    this.#connection = connection
    this.#exec?.close()
    this.#exec = this.#execOf(connection)
  }

  #read(): Connection {
    return connectionOf(this.#options.kubeconfig, this.#vars)
  }

  #execOf({ cluster, user, namespace }: Connection): ExecCredential | undefined {
    const { exec } = user
    if (!exec || isKnown(user) || !maySend(cluster)) return undefined
    const { timers, clock, signal, isTerminal = false } = this.#options
    const connection = { cluster, user: { ...user, exec }, namespace }
    return new ExecCredential({ connection, vars: this.#vars, isTerminal, timers, clock, signal })
  }

  async #compose(): Promise<ApiServerAccess> {
    const { cluster, user } = this.#connection
    const server = serverOf(cluster)
    const answer = await this.#exec?.answer()
    const identity = maySend(cluster) ? { ...clientTls(user), ...certificateOf(answer) } : {}
    const dispatcher = this.#pool.adopt({ ...serverTls(cluster), ...identity }, this.#proxy(cluster, server))
    return {
      origin: server.origin,
      prefix: server.pathname.replace(/\/+$/, ''),
      headers: { ...(maySend(cluster) ? authorization(user, answer) : {}), ...impersonation(user) },
      dispatcher,
    }
  }

  #proxy({ place, proxyUrl }: Cluster, server: URL): string | undefined {
    if (proxyUrl !== undefined) return checkedProxy(proxyUrl, `${place}.proxy-url`)
    const proxy = 'files' in this.#options.kubeconfig ? proxyFor(server, this.#vars) : undefined
    return proxy === undefined ? undefined : checkedProxy(proxy, 'HTTPS_PROXY or HTTP_PROXY')
  }
}

/** Whether credentials may be sent. Like kubectl, we send none over plain HTTP, which others on the way can read. */
const maySend = (cluster: Cluster): boolean => serverOf(cluster).protocol === 'https:'

const certificateOf = (answer: ExecAnswer | undefined) =>
  answer?.cert === undefined || answer.key === undefined ? {} : { cert: answer.cert, key: answer.key }

const authorization = (user: User, answer: ExecAnswer | undefined): Headers =>
  answer?.token === undefined ? authorizationOf(user) : { Authorization: `Bearer ${answer.token.trim()}` }

/** `connection`, if requests can be sent over it. @throws KubeconfigError */
function usable(connection: Connection): Connection {
  serverOf(connection.cluster)
  const { user } = connection
  if (user.authProvider !== undefined && !isKnown(user))
    throw new KubeconfigError(
      `${user.place}.auth-provider ${quoted(user.authProvider)} is not supported: use a credential plugin (exec)`,
    )
  return connection
}

function serverOf({ place, server = '' }: Cluster): URL {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(server) ? server : `http://${server}`
  const url = URL.canParse(address) ? new URL(address.replace(/\/+$/, '')) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new KubeconfigError(`no API server: ${place}.server must be a URL such as https://10.0.0.1:6443`)
}

/** @throws KubeconfigError for a proxy of a kind that is not supported */
function checkedProxy(proxy: string, place: string): string {
  // undici leaves names to the proxy, as `socks5h` says
  const url = URL.canParse(proxy) ? new URL(proxy.replace(/^socks5h:/, 'socks5:')) : undefined
  if (url && ['http:', 'https:', 'socks5:'].includes(url.protocol)) return url.href
  throw new KubeconfigError(`${place} must be a URL with http, https or socks5`)
}
