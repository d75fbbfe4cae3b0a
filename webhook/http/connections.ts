import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'

/** Why a connection was closed before it asked for a review. A label value of a metric, so a fixed list. */
export type ClosedBecause = 'handshake' | 'limit'

interface ConnectionOptions {
  readonly server: Server | PlainServer
  /** the connections that may be open at once */
  readonly max?: number
  readonly onClosed?: (why: ClosedBecause) => void
}

interface Connection {
  readonly socket: Socket
  /** the request of which no response was sent yet */
  request?: IncomingMessage
}

/** Names the caller's end of a connection. The socket of TLS and the one below it have the same. */
const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/**
 * Limits the connections of `server`, which must not listen yet. Whoever connects is let in, and another connection is
 * closed for it: `maxConnections` of Node closes the new one, and then silent callers keep the API server out. Those
 * that never got a review answered go first, the oldest before the others: the API server sends its request within
 * milliseconds. Then go those that were not used for the longest time. One with a review under way is never closed.
 */
export function limitConnections({ server, max = 1_000, onClosed = () => undefined }: ConnectionOptions) {
  const strangers = new Map<string, Connection>()
  const known = new Map<string, Connection>() // in the order of their last use
  const open = () => strangers.size + known.size
  const forget = (end: string, connection: Connection): void => {
    for (const each of [strangers, known]) if (each.get(end) === connection) each.delete(end)
  }
  const makeRoom = (): void => {
    for (const each of [strangers, known])
      for (const [end, { socket, request }] of each) {
        if (request?.complete) continue
        each.delete(end)
        socket.destroy()
        onClosed('limit')
        return
      }
  }
  server.on('connection', (socket: Socket) => {
    const end = endOf(socket)
    if (open() >= max) makeRoom()
    const connection = { socket }
    strangers.set(end, connection)
    socket.once('close', () => forget(end, connection))
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const end = endOf(request.socket)
    const connection = strangers.get(end) ?? known.get(end)
    if (!connection) return
    connection.request = request
    response.once('finish', () => {
      delete connection.request
      if (response.statusCode !== 200) return // only reviews are answered with 200
      if (!strangers.delete(end) && !known.delete(end)) return // closed meanwhile
      known.set(end, connection)
    })
  })
  server.on('tlsClientError', (error: Error & { readonly code?: string }) => {
    if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') onClosed('handshake')
  })
  return {
    /** the connections that are open */
    get open(): number {
      return open()
    },
  }
}
