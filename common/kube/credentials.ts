import { HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node'
import type { Dispatcher } from 'undici'
import type { Timers } from '../clock.ts'
import { Pool, type PoolOptions } from './pool.ts'

/** How long what was read from disk is used: a rotated CA or token is seen within this. */
const REREAD_AFTER_MS = 10_000

/** Everything a request needs but its own content. */
export interface Access {
  /** `https://10.0.0.1:6443` */
  readonly origin: string
  /** in front of every path, without a slash at its end: some API servers live under one */
  readonly prefix: string
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
}

/** The library's reader of credentials, made to use our connections: left alone it opens one for each request. */
class PooledKubeConfig extends KubeConfig {
  readonly #pool: Pool

  constructor(pool: Pool) {
    super()
    this.#pool = pool
  }

  override createDispatcherOptions(...of: Parameters<KubeConfig['createDispatcherOptions']>) {
    const options = super.createDispatcherOptions(...of)
    if (options.type === 'proxy' || options.type === 'socks') return options // the library's own dispatcher
    this.#pool.adopt(options.type === 'agent' ? options.connect : {})
    return { type: 'none' as const }
  }

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context) // Authorization header; runs the method above
    if (!context.getDispatcher() && this.#pool.agent) context.setDispatcher(this.#pool.agent)
  }
}

export interface CredentialsOptions extends PoolOptions {
  /** a file as kubectl's; absent: the service account of the pod we run in */
  readonly kubeconfig: string | undefined
  readonly timers: Timers
}

/** Who we are to the API server and how we reach it. */
export class Credentials {
  readonly #kubeconfig: string | undefined
  readonly #timers: Timers
  readonly #pool: Pool
  #config: KubeConfig
  #access: Promise<Access> | undefined
  #readAt = 0
  #foreign: Dispatcher | undefined // behind a proxy: what the library made last

  /** @throws Error if the kubeconfig cannot be read, or there is none and this is no pod. */
  constructor({ kubeconfig, timers, ...pool }: CredentialsOptions) {
    this.#kubeconfig = kubeconfig
    this.#timers = timers
    this.#pool = new Pool(pool)
    this.#config = this.#load()
  }

  /** What to use now, at most `REREAD_AFTER_MS` old. @throws what reading it threw. */
  access(): Promise<Access> {
    const isFresh = this.#timers.now() - this.#readAt < REREAD_AFTER_MS
    if (this.#access && isFresh) return this.#access
    this.#readAt = this.#timers.now()
    const access = this.#read()
    this.#access = access
    access.catch(() => this.drop(access))
    return access
  }

  /** Forgets what `refused` was read from, unless somebody has already: the library keeps a token for a minute. */
  reload(refused: Promise<Access>): void {
    if (this.#access !== refused) return
    this.#access = undefined
    this.#config = this.#load()
  }

  /** Reads certificates and token again before the next request, unless somebody has already. */
  drop(failed: Promise<Access>): void {
    if (this.#access === failed) this.#access = undefined
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#foreign?.destroy()])
  }

  #load(): KubeConfig {
    const config = new PooledKubeConfig(this.#pool)
    if (this.#kubeconfig === undefined) config.loadFromCluster()
    else config.loadFromFile(this.#kubeconfig)
    serverOf(config)
    return config
  }

  async #read(): Promise<Access> {
    const server = serverOf(this.#config)
    const context = new RequestContext(server.href, HttpMethod.GET)
    await this.#config.applySecurityAuthentication(context)
    const dispatcher = context.getDispatcher()
    if (!dispatcher) throw new Error('the kubeconfig gave no way to connect')
    if (dispatcher !== this.#pool.agent) {
      this.#foreign?.close().catch(() => undefined) // it is closing already
      this.#foreign = dispatcher
    }
    return { origin: server.origin, prefix: server.pathname.replace(/\/+$/, ''), headers: trimmed(context), dispatcher }
  }
}

function serverOf(config: KubeConfig): URL {
  const server = config.getCurrentCluster()?.server
  // outside a pod the library composes `https://undefined:undefined`
  if (server !== undefined && URL.canParse(server)) return new URL(server)
  throw new Error('no API server: the kubeconfig names none, or there is none and this is not a pod')
}

/** A token file may end in a line feed, which no header may hold. */
const trimmed = (context: RequestContext): Record<string, string> =>
  Object.fromEntries(Object.entries(context.getHeaders()).map(([name, value]) => [name, value.trim()]))
