/** A TLS server on this machine that says which requests came, and with which certificates. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { CertificatePair } from '../../../certs/authority.ts'

/** What is the same for kubectl and for us. */
export interface SeenRequest {
  readonly line: string
  /** those that say who asks, by lower-case name */
  readonly headers: Readonly<Record<string, readonly string[]>>
  /** the fingerprint of the client's certificate */
  readonly certificate: string | undefined
  /** the host for which TLS was opened; undefined for an address */
  readonly sni: string | undefined
}

export interface RecordingServer {
  readonly port: number
  /** Returns the requests since the last call. */
  take(): readonly SeenRequest[]
  close(): Promise<void>
}

/** Requests with this token get no answer. */
const SILENT = 'Bearer silent'

export async function recordingServer(leaf: CertificatePair): Promise<RecordingServer> {
  let seen: SeenRequest[] = []
  const options = { ...leaf, requestCert: true, rejectUnauthorized: false }
  const server = createServer(options, (request, response) => {
    const { socket } = request
    if (!(socket instanceof TLSSocket)) throw new Error('a server for HTTPS has only sockets with TLS')
    const { fingerprint256 } = socket.getPeerCertificate()
    seen.push({
      // kubectl also tells the API server how long it waits
      line: `${request.method} ${request.url?.replace(/\?timeout=[^&]*$/, '')}`,
      headers: headersOf(request.headersDistinct),
      certificate: fingerprint256,
      sni: sniOf(socket),
    })
    if (request.headers.authorization === SILENT) return
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ major: '1' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    take: () => {
      const taken = seen
      seen = []
      return taken
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Node's types lack this member of a server's socket. */
function sniOf(socket: TLSSocket): string | undefined {
  const name = 'servername' in socket ? socket.servername : undefined
  return typeof name === 'string' ? name : undefined
}

const headersOf = (headers: NodeJS.Dict<string[]>): SeenRequest['headers'] =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name === 'authorization' || name.startsWith('impersonate-'))
      .map(([name, values = []]) => [name, values]),
  )
