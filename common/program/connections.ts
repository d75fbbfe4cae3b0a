import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { realTimers, type Timers } from './clock.ts'

/** Why a connection was closed. A label value of a metric, so a fixed list. */
export type ClosedBecause = 'handshake' | 'limit' | 'unread'

interface ConnectionOptions {
  readonly server: Server | PlainServer
  /** the connections that may be open at once */
  readonly max?: number
  /** the time from the headers of a request until its answer has been read; Node has no limit for that */
  readonly answerMs?: number
  readonly timers?: Timers
  readonly onClosed?: (why: ClosedBecause) => void
}

interface Connection {
  readonly socket: Socket
  /** its last request and the response to it, until that has been sent */
  latest?: Exchange
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Whether a request has arrived and its response is still to be written. */
const isUnderWay = (exchange: Exchange | undefined): boolean =>
  exchange?.request.complete === true && !exchange.response.writableEnded

/** Names the caller's end of a connection. The socket of TLS and the one below it have the same. */
const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/**
 * Limits the connections of `server`, which must not listen yet. Whoever connects is let in, and another connection is
 * closed for it: `maxConnections` of Node closes the new one, and then silent callers keep the API server out. Those
 * that never got an answer with status 200 go first, the oldest before the others: the API server sends its request
 * within milliseconds. Then go those that were not used for the longest time. One with a request under way is never
 * closed.
 *
 * A caller that does not read its response keeps the connection busy, and would do so for ever. So a connection is
 * closed `answerMs` after a request. In the webhook a body may arrive for 5 s, and a decision ends within 10 s.
 */
export function limitConnections({
  server,
  max = 1_000,
  answerMs = 20_000,
  timers = realTimers(),
  onClosed = () => undefined,
}: ConnectionOptions) {
  const strangers = new Map<string, Connection>()
  const known = new Map<string, Connection>() // in the order of their last use
  const open = () => strangers.size + known.size
  const forget = (end: string, connection: Connection): void => {
    for (const each of [strangers, known]) if (each.get(end) === connection) each.delete(end)
  }
  const makeRoom = (): void => {
    for (const each of [strangers, known])
      for (const [end, { socket, latest }] of each) {
        if (isUnderWay(latest)) continue
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
    const exchange = { request, response }
    connection.latest = exchange
    const cancel = timers.after(answerMs, () => {
      request.socket.destroy()
      onClosed('unread')
    })
    response.once('close', cancel)
    response.once('finish', () => {
      if (connection.latest === exchange) delete connection.latest // the next request may have arrived
      if (response.statusCode !== 200) return // the webhook answers only reviews with 200
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
