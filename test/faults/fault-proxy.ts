import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request } from 'node:https'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { issue } from '../../certs/issue.ts'
import { linesOf } from '../../common/kube/client/body.ts'
import { close, listen } from '../../common/program/listen.ts'
import type { ApiAnswer, ApiCall, Fate, Interference } from './api-call.ts'

/** A TLS proxy before a server. */
export interface FaultProxy {
  readonly port: number
  /** whom its callers have to trust, PEM */
  readonly ca: string
  /** Replaces what happens to calls that arrive from now on. */
  readonly interfere: (by: Interference) => void
  readonly close: () => Promise<void>
}

export interface FaultProxyOptions {
  /** the address that the path of a call is added to */
  readonly server: string
  /** whom the proxy trusts, PEM */
  readonly ca: string
  readonly callOf: (request: IncomingMessage, body: Buffer) => ApiCall
}

/** A call on its way, with what its caller sent. */
interface Passing {
  readonly call: ApiCall
  readonly from: IncomingMessage
  readonly body: Buffer
}

let issued: ReturnType<typeof issue> | undefined
/** One for all proxies of a process: crash points start hundreds, and a new key takes 65 ms of a processor. */
function certificate(): ReturnType<typeof issue> {
  issued ??= issue({ names: ['127.0.0.1'], clock: () => new Date() })
  return issued
}

/**
 * Starts a proxy. It passes headers on. Watches are streamed; all other bodies are read whole before they are sent on.
 */
export async function startFaultProxy({
  server: address,
  ca: trusted,
  callOf,
}: FaultProxyOptions): Promise<FaultProxy> {
  const { ca, cert, key } = await certificate()
  const agent = new Agent({ ca: trusted, keepAlive: true })
  const sockets = new Map<number, Socket>()
  let interference: Interference = {}

  const serve = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
    const body = await buffer(from)
    const call = callOf(from, body)
    const { onCall, onAnswer, onSent, onwardPath } = interference
    const first = (await onCall?.(call)) ?? 'pass'
    if (first !== 'pass') return end(to, first)
    const answer = await forward({ call, from, body }, to, onwardPath?.(call) ?? from.url ?? '/')
    if (call.isWatch) return
    const whole: ApiAnswer = {
      status: answer.statusCode ?? 502,
      headers: answer.headers,
      body: await buffer(answer),
    }
    const last = (await onAnswer?.(call, whole)) ?? 'pass'
    if (last === 'cut') return cut(to, whole)
    const sent = last === 'pass' ? whole : last
    if (typeof sent === 'object') to.once('finish', () => onSent?.(call, sent))
    end(to, sent)
  }
  /** Sends the call on, to `path`. A watch is answered at once. */
  const forward = ({ call, from, body }: Passing, to: ServerResponse, path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { host: _, ...headers } = from.headers
      const onward = request(new URL(path, address), { agent, method: call.method, headers }, (answer) => {
        if (call.isWatch) stream(answer, to, call).catch(() => to.destroy())
        resolve(answer)
      })
      onward.once('error', reject)
      to.once('close', () => onward.destroy())
      onward.end(body)
    })
  /** Interference that begins later concerns the lines of a watch that is open already. */
  const stream = async (answer: IncomingMessage, to: ServerResponse, call: ApiCall): Promise<void> => {
    to.writeHead(answer.statusCode ?? 502, answer.headers)
    to.flushHeaders()
    const send = (line: string) => void (to.writableEnded || to.write(`${line}\n`)) // `writable` stays true after `end`
    interference.onWatch?.(call, { send, end: () => to.end() })
    for await (const line of linesOf(answer)) ((await interference.onLine?.(call, line)) ?? [line]).forEach(send)
    to.end()
  }
  /** Sends half of an answer, then resets the connection. */
  const cut = (to: ServerResponse, { status, headers, body }: ApiAnswer): void => {
    const socket = sockets.get(to.socket?.remotePort ?? 0)
    to.writeHead(status, { ...sendable(headers), 'content-length': body.length })
    to.write(body.subarray(0, body.length / 2), () => socket?.resetAndDestroy())
  }
  const server = createServer({ cert, key }, (from, to) => {
    serve(from, to).catch(() => to.destroy())
  })
  // only the socket under the TLS socket can be reset
  server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket
    sockets.set(remotePort, socket)
    socket.once('close', () => sockets.delete(remotePort))
  })
  const port = await listen(server, 0, '127.0.0.1')
  return {
    port,
    ca,
    interfere: (by) => {
      interference = by
    },
    close: async () => {
      server.closeAllConnections()
      await close(server)
      agent.destroy()
    },
  }
}

/** The headers of an answer whose body is sent with another length, or in one piece. */
function sendable(headers: ApiAnswer['headers']): Record<string, string | string[]> {
  const { 'transfer-encoding': _, 'content-length': __, ...others } = headers
  return others as Record<string, string | string[]>
}

function end(to: ServerResponse, fate: Exclude<Fate, 'pass'>): void {
  if (fate === 'hang') return
  if (fate === 'reset') {
    to.destroy()
    return
  }
  to.writeHead(fate.status, { ...sendable(fate.headers), 'content-length': fate.body.length })
  to.end(fate.body)
}
