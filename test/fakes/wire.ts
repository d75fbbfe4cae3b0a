/** The wire: servers on sockets of this machine that answer as a test says, and a client of an API server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CertificatePair } from '../../certs/authority.ts'
import type { KubeClient, Sent } from '../../common/kube/client/client.ts'
import { type KubeClientOptions, kubeClient } from '../../common/kube/library/client.ts'
import { realTimers, type Timers } from '../../common/program/clock.ts'
import { collect } from '../collect.ts'

/** A server on a socket of this machine. */
export interface Served {
  readonly port: number
  /** the TCP connections so far */
  readonly connections: number
  /** the requests so far, without bodies */
  readonly seen: readonly { readonly line: string; readonly headers: IncomingMessage['headers'] }[]
  close(): Promise<void>
}

/** @param tls with which certificate; default: plain HTTP */
export function serve(answer: RequestListener, tls?: CertificatePair, host = '127.0.0.1'): Promise<Served> {
  const seen: { line: string; headers: IncomingMessage['headers'] }[] = []
  const listener: RequestListener = (request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers })
    answer(request, response)
  }
  return listening(tls ? createTlsServer({ ...tls }, listener) : createServer(listener), seen, host)
}

/** A server of bytes: for answers that no HTTP server would give. */
export const serveBytes = (connected: (socket: Socket) => void): Promise<Served> =>
  listening(createTcpServer(connected), [], '127.0.0.1')

async function listening(server: TcpServer, seen: Served['seen'], host: string): Promise<Served> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined) // the client may close it at any time
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    seen,
    get connections() {
      return connections
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Answers 200 with `body` as JSON. */
export const answering =
  (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  }

export type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A local server that answers as the test says, and a client of it. */
export interface ServedClient {
  readonly client: KubeClient
  /** every request so far: `GET /path token user-agent` */
  readonly seen: readonly { readonly line: string; readonly token: string | undefined; readonly body: string }[]
  readonly headers: readonly IncomingMessage['headers'][]
  /** what the client has reported of its requests */
  readonly sent: readonly Sent[]
  /** the TCP connections opened so far */
  readonly connections: number
  writeToken(token: string): void
  close(): Promise<void>
}

/** @param answers one for each request in turn; the last goes on answering */
export async function serveClient(
  answers: readonly Respond[],
  timers: Timers = realTimers(),
  options: Partial<KubeClientOptions> = {},
): Promise<ServedClient> {
  const seen: { line: string; token: string | undefined; body: string }[] = []
  const headers: IncomingMessage['headers'][] = []
  const sent: Sent[] = []
  const served = await serve(async (request, response) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)]
    const each = { line: `${request.method} ${request.url}`, token: request.headers.authorization, body: '' }
    seen.push(each)
    headers.push(request.headers)
    each.body = Buffer.concat(await collect<Buffer>(request)).toString()
    answer?.(request, response, each.body)
  })
  const folder = mkdtempSync(join(tmpdir(), 'kube-client-'))
  const kubeconfig = join(folder, 'config')
  const writeToken = (token: string) => writeFileSync(kubeconfig, kubeconfigOf(served.port, token))
  writeToken('first')
  const onSent = (each: Sent) => void sent.push(each)
  const client = kubeClient({ kubeconfig, userAgent: 'test/1', timers, random: () => 0, onSent, ...options })
  return {
    client,
    seen,
    headers,
    sent,
    get connections() {
      return served.connections
    },
    writeToken,
    async close() {
      await client.close()
      await served.close()
      rmSync(folder, { recursive: true })
    },
  }
}

// the library takes plain HTTP only with insecure-skip-tls-verify
const kubeconfigOf = (port: number, token: string) =>
  JSON.stringify({
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
    clusters: [
      { name: 'here', cluster: { server: `http://127.0.0.1:${port}/root/`, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'me', user: { token } }],
  })

export const json =
  (status: number, body: object, headers: Record<string, string> = {}): Respond =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

export const reset: Respond = (request) => {
  request.socket.destroy()
}

export const silence: Respond = () => {}
