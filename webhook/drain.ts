import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { Timers } from '../common/clock.ts'

export interface Drainable {
  readonly server: Server
  readonly timers: Timers
  /** until everybody has seen that we are not ready, and sends new connections elsewhere */
  readonly serveOnMs: number
  /** from the start: what is open then is cut. Below the pod's grace period of 45 s. */
  readonly cutMs?: number
}

/** Between two looks for connections that nobody uses any more. */
const SWEEP_MS = 250

/**
 * Keeps an eye on `server`, which must not listen yet. What it returns ends it so that no call is lost, and resolves when
 * no connection is left. In the second half of the time it serves on, each reply closes its connection: whoever is
 * calling goes elsewhere by himself. Only then what is idle is closed from here; to close one that is in use is to lose
 * the call that is just being written into it, as seen under load: the API server says "EOF" and does not try again.
 */
export function drainer({ server, timers, serveOnMs, cutMs = 30_000 }: Drainable): () => Promise<void> {
  const replies = openReplies(server)
  const sweepUnused = unusedConnections(server)
  return async () => {
    const gone = Promise.withResolvers<void>()
    const cancelCut = timers.after(cutMs, () => server.closeAllConnections())
    timers.after(serveOnMs / 2, replies.closeConnections)
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

/** Lets each reply that has not begun say `Connection: close`, from the moment one asks for it. */
function openReplies(server: Server) {
  const open = new Set<ServerResponse>()
  let isClosing = false
  const close = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('connection', 'close')
  }
  // before the app, which may answer at once
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (isClosing) return close(response)
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return {
    closeConnections: () => {
      isClosing = true
      open.forEach(close)
    },
  }
}

/**
 * Closes connections that never carried a request, at the second look at them. Go keeps in store what it dialled while
 * another connection became free; Node does not count those as idle.
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
