import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { Timers } from '../../common/program/clock.ts'

interface DrainOptions {
  readonly server: Server
  readonly timers: Timers
  /** how long to serve on, until all clients know that the pod is not ready and connect to another one */
  readonly serveOnMs: number
  /** when to cut open connections, counted from the beginning; below the pod's grace period of 45 s. Default: 30 s */
  readonly cutMs?: number
}

/** The time between two searches for unused connections. */
const SWEEP_MS = 250

/**
 * Prepares the shutdown of `server`, which must not listen yet. The returned function resolves when no connection is
 * left. In the second half of `serveOnMs` each response closes its connection, so that clients connect elsewhere. Only
 * then are idle connections closed, because that can lose a call that the client is just sending: under load the API
 * server reported "EOF" and did not try again.
 */
export function drainer({ server, timers, serveOnMs, cutMs = 30_000 }: DrainOptions): () => Promise<void> {
  const closeWithReplies = repliesCloser(server)
  const sweepUnused = unusedConnections(server)
  return async () => {
    const gone = Promise.withResolvers<void>()
    const cancelCut = timers.after(cutMs, () => server.closeAllConnections())
    timers.after(serveOnMs / 2, closeWithReplies)
    timers.after(serveOnMs, () => {
      let cancelSweep = (): void => undefined
      const sweep = () => {
        server.closeIdleConnections()
        sweepUnused()
        cancelSweep = timers.after(SWEEP_MS, sweep)
      }
      server.close(() => {
        cancelSweep()
        gone.resolve()
      })
      sweep()
    })
    await gone.promise
    cancelCut()
  }
}

/** After the returned function is called, every response that has not begun gets the header `Connection: close`. */
function repliesCloser(server: Server): () => void {
  const open = new Set<ServerResponse>()
  let isClosing = false
  const close = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('connection', 'close')
  }
  // before the listener of the app, which may respond at once
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (isClosing) return close(response)
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return () => {
    isClosing = true
    open.forEach(close)
  }
}

/**
 * Returns a function that closes connections without any request, when it finds them for the second time. Go opens such
 * ones while another becomes free. Node does not count them as idle.
 */
function unusedConnections(server: Server): () => void {
  const unused = new Set<TLSSocket>()
  let seen = new Set<TLSSocket>()
  server.on('secureConnection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket as TLSSocket))
  return () => {
    for (const socket of unused) if (seen.has(socket)) socket.destroy()
    seen = new Set(unused)
  }
}
