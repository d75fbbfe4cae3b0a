import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/**
 * Starts `server`, and resolves to its port when it listens. Without `host` it listens on all addresses, also of a node
 * that has no IPv6, where `::` fails. @throws Error if it cannot listen: the port is taken
 */
export async function listen(server: Server | TlsServer, port: number, host?: string): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening') // rejects at an `error`
  return (server.address() as AddressInfo).port
}

/** How long calls under way may take before their connections are cut. */
const CUT_MS = 5_000

/** Accepts no new connections, gives calls under way 5 s to end, and resolves when all connections are closed. */
export const close = (server: Server | TlsServer): Promise<void> =>
  new Promise((resolve) => {
    // when a call ends, its connection would be kept for another call, for up to `keepAliveTimeout`
    const sweep = setInterval(() => server.closeIdleConnections(), 250)
    // Node does not count a connection without any call as idle
    const cut = setTimeout(() => server.closeAllConnections(), CUT_MS)
    server.close(() => {
      clearInterval(sweep)
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
