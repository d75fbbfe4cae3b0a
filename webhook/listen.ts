import type { Server as HttpServer, RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'

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

/** The port that `server` listens on, once it does. @throws Error if it cannot: the port is taken. */
export const listening = (server: Server | HttpServer, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })

/** Takes no new connection, lets calls under way end, and resolves when all are gone. */
export const closed = (server: Server | HttpServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
