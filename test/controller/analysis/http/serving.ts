import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import type { CertificatePair } from '../../../../certs/authority.ts'
import type { ProviderSpec } from '../../../../common/analysis/kinds/provider.ts'
import { providerWithDefaults } from '../../../../common/analysis/kinds/provider.ts'
import { realTimers } from '../../../../common/program/clock.ts'
import {
  type GuardedOptions,
  guardedClient,
  type ProviderClient,
} from '../../../../controller/analysis/http/guarded.ts'

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

/** May reach this machine, and no API server. */
export const OPTIONS: GuardedOptions = {
  apiServers: () => [],
  loopback: 'allow',
  credential: async () => ({ is: 'credential', text: 'the-secret' }),
  userAgent: 'test/1',
  clock: () => new Date('2026-11-21T12:00:00Z'),
  timers: realTimers(),
}

/** Servers and clients of one test file. `close` after each test. */
export class World {
  readonly #served: { close(): Promise<void> }[] = []
  readonly #clients: ProviderClient[] = []

  /** Starts a server by `serve` or `serveBytes`. */
  async started(serving: Promise<Served>): Promise<Served> {
    const served = await serving
    this.#served.push(served)
    return served
  }

  /** A client with `OPTIONS`, unless `options` say otherwise. */
  client(provider: Partial<ProviderSpec>, options: Partial<GuardedOptions> = {}): ProviderClient {
    const complete = providerWithDefaults({ type: 'Prometheus', namespaceSelector: {}, ...provider })
    const client = guardedClient(complete, { ...OPTIONS, ...options })
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.destroy()))
    await Promise.all(this.#served.splice(0).map((served) => served.close()))
  }
}

/** What most tests ask for. */
export const QUERY = { method: 'GET', path: '/api/v1/query' } as const

/** A reply that says so. */
export const failed = (message: string) => ({ is: 'failed', message })
