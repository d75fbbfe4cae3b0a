import { HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node'
import type { Dispatcher } from 'undici'
import type { Timers } from '../../program/clock.ts'
import type { ApiServerAccess, KubeCredentials } from '../client/access.ts'
import { Pool, type PoolOptions } from '../client/pool.ts'
import { loadKubeconfig } from './kubeconfig.ts'

/** How long credentials from disk are used. A rotated CA or token is noticed within this time. */
const REREAD_AFTER_MS = 10_000

/** The library's reader of credentials, but with our connections. Alone it would open a new one for each request. */
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
    await super.applySecurityAuthentication(context) // sets the Authorization header, and calls the method above
    if (!context.getDispatcher() && this.#pool.agent) context.setDispatcher(this.#pool.agent)
  }
}

export interface LibraryCredentialsOptions extends PoolOptions {
  /** the path of a kubeconfig, or several as in `$KUBECONFIG`; undefined: the service account of this pod */
  readonly kubeconfig: string | undefined
  readonly timers: Timers
}

/** The credentials for the API server as the library reads them, and the connections to it. */
export class LibraryCredentials implements KubeCredentials {
  readonly #kubeconfig: string | undefined
  readonly #timers: Timers
  readonly #pool: Pool
  #config: KubeConfig
  #access: Promise<ApiServerAccess> | undefined
  #readAt = 0
  #foreign: Dispatcher | undefined // the last dispatcher of the library, which it makes for proxies

  /** @throws Error if the kubeconfig cannot be read, or if there is none and this is no pod */
  constructor({ kubeconfig, timers, ...pool }: LibraryCredentialsOptions) {
    this.#kubeconfig = kubeconfig
    this.#timers = timers
    this.#pool = new Pool(pool)
    this.#config = this.#load()
  }

  /** The present credentials, at most `REREAD_AFTER_MS` old. @throws what reading them throws */
  access(): Promise<ApiServerAccess> {
    const isFresh = this.#timers.now() - this.#readAt < REREAD_AFTER_MS
    if (this.#access && isFresh) return this.#access
    this.#readAt = this.#timers.now()
    const access = this.#read()
    this.#access = access
    access.catch(() => this.drop(access))
    return access
  }

  /**
   * Reads the kubeconfig again after the server refused `refused`, unless another request has done so. (The library
   * keeps a token for a minute.)
   */
  reload(refused: Promise<ApiServerAccess>): void {
    if (this.#access !== refused) return
    this.#access = undefined
    this.#config = this.#load()
  }

  /**
   * Forgets `failed`, so that the next request reads certificates and token again, also those that the kubeconfig
   * contains. While that cannot be read, for example because it is being written, the known one counts.
   */
  drop(failed: Promise<ApiServerAccess>): void {
    try {
      this.reload(failed)
    } catch {
      // `reload` has forgotten `failed`, and the failure itself goes to the caller
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#foreign?.destroy()])
  }

  #load(): KubeConfig {
    const config = new PooledKubeConfig(this.#pool)
    if (this.#kubeconfig === undefined) config.loadFromCluster()
    else loadKubeconfig(config, this.#kubeconfig)
    serverOf(config)
    return config
  }

  async #read(): Promise<ApiServerAccess> {
    const server = serverOf(this.#config)
    const context = new RequestContext(server.href, HttpMethod.GET)
    await this.#config.applySecurityAuthentication(context)
    const dispatcher = context.getDispatcher()
    if (!dispatcher) throw new Error('the kubeconfig has no usable way to connect')
    if (dispatcher !== this.#pool.agent) {
      this.#foreign?.close().catch(() => undefined) // it is closing already
      this.#foreign = dispatcher
    }
    return { origin: server.origin, prefix: server.pathname.replace(/\/+$/, ''), headers: trimmed(context), dispatcher }
  }
}

/** The address of the API server, as `kubeconfig` or the pod says. @throws Error if neither says one */
export function apiServerOf(kubeconfig: string | undefined): URL {
  const config = new KubeConfig()
  if (kubeconfig === undefined) config.loadFromCluster()
  else loadKubeconfig(config, kubeconfig)
  return serverOf(config)
}

function serverOf(config: KubeConfig): URL {
  const server = config.getCurrentCluster()?.server
  // outside a pod, the library's server is `https://undefined:undefined`
  if (server !== undefined && URL.canParse(server)) return new URL(server)
  throw new Error('no API server: the kubeconfig has no valid server, or there is no kubeconfig and this is not a pod')
}

/** A token file may end with a line feed, which is not allowed in a header. */
const trimmed = (context: RequestContext): Record<string, string> =>
  Object.fromEntries(Object.entries(context.getHeaders()).map(([name, value]) => [name, value.trim()]))
