import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** The port that `server` listens on, once it does. @throws Error if it cannot: the port is taken. */
export const listening = (server: Server | TlsServer, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })

/** Takes no new connection, lets calls under way end, and resolves when all are gone. */
export const closed = (server: Server | TlsServer): Promise<void> =>
  new Promise((resolve) => {
    // a connection whose call ends only now would be kept for the next one, for up to `keepAliveTimeout`
    const sweep = setInterval(() => server.closeIdleConnections(), 250)
    server.close(() => {
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
