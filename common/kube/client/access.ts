import type { Dispatcher } from 'undici'
import type { Headers } from '../config/identity.ts'

/** What every request needs: address, credentials and connections. */
export interface ApiServerAccess {
  /** `https://10.0.0.1:6443` */
  readonly origin: string
  /** the path prefix under which some API servers are served; without a slash at its end */
  readonly prefix: string
  readonly headers: Headers
  readonly dispatcher: Dispatcher
}

/** What a client needs of credentials for the API server. They own the connections to it. */
export interface KubeCredentials {
  /** The present credentials: the same promise until they may have changed. @throws what reading them throws */
  access(): Promise<ApiServerAccess>
  /** Resolves when people have logged in, which no time limit of a request is for; undefined if nobody has to. */
  login?(): Promise<unknown> | undefined
  /** The server refused `refused`: the next `access` reads again, unless another request has done so. */
  reload(refused: Promise<ApiServerAccess>): void
  /** No connection could be made with `failed`: as `reload`, but does not throw. */
  drop(failed: Promise<ApiServerAccess>): void
  /** Closes all connections. Requests under way fail. */
  close(): Promise<void>
}
