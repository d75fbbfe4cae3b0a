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

/** What calls under way get before their connections are cut. */
const CUT_MS = 5_000

/** Takes no new connection, lets calls under way end for 5 s, and resolves when all are gone. */
export const closed = (server: Server | TlsServer): Promise<void> =>
  new Promise((resolve) => {
    // a connection whose call ends only now would be kept for the next one, for up to `keepAliveTimeout`
    const sweep = setInterval(() => server.closeIdleConnections(), 250)
    // one that never carried a call does not count as idle
    const cut = setTimeout(() => server.closeAllConnections(), CUT_MS)
    server.close(() => {
      clearInterval(sweep)
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
