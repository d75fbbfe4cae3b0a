import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'

export interface Tls {
  readonly cert: string
  readonly key: string
}

/** `app` over TLS, as the API server calls it. */
export function tlsServer(app: RequestListener, { cert, key }: Tls): Server {
  const server = createServer({ cert, key, minVersion: 'TLSv1.3', ALPNProtocols: ['http/1.1'] }, app)
  server.keepAliveTimeout = 120_000 // above the API server's 90 s, so that it never writes into a closing connection
  server.headersTimeout = 10_000
  server.requestTimeout = 15_000
  server.maxConnections = 1_000
  return server
}
