/** A proxy on this machine, which connects each client with one port of this machine, whatever host it asks for. */
import { createServer, request as httpRequest } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import type { CertificatePair } from '../../certs/authority.ts'

export interface AProxy {
  readonly port: number
  /** what was asked for: `CONNECT api.example:443 Basic …`, `GET http://api.example/path`, `socks5 api.example:443` */
  readonly seen: readonly string[]
  close(): Promise<void>
}

/** @param tls with which certificate; default: plain HTTP */
export async function httpProxy(target: number, tls?: CertificatePair): Promise<AProxy> {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = tls ? createTlsServer({ ...tls }) : createServer()
  server.on('connect', ({ url, headers }, client: Socket) => {
    const credentials = headers['proxy-authorization']
    seen.push(credentials === undefined ? `CONNECT ${url}` : `CONNECT ${url} ${credentials}`)
    relay(client, target, sockets, () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
  })
  server.on('request', ({ method, url = '', headers }, response) => {
    seen.push(`${method} ${url}`)
    const { pathname } = new URL(url)
    const relayed = httpRequest({ port: target, method, path: pathname, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    relayed.end()
  })
  return listening(server, seen, sockets)
}

/** A proxy that speaks SOCKS5 without a password. Source: RFC 1928. */
export async function socksProxy(target: number): Promise<AProxy> {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = createTcpServer((client) => {
    client.once('data', () => {
      client.write(Buffer.from([5, 0]))
      client.once('data', (asked: Buffer) => {
        seen.push(`socks5 ${socksAddress(asked)}`)
        relay(client, target, sockets, () => client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])))
      })
    })
  })
  return listening(server, seen, sockets)
}

function socksAddress(asked: Buffer): string {
  const isName = asked[3] === 3
  const host = isName ? asked.subarray(5, 5 + (asked[4] ?? 0)).toString() : asked.subarray(4, 8).join('.')
  return `${host}:${asked.readUInt16BE(asked.length - 2)}`
}

function relay(client: Socket, port: number, sockets: Set<Socket>, connected: () => void): void {
  const server = connect(port, '127.0.0.1', () => {
    connected()
    client.pipe(server).pipe(client)
  })
  for (const socket of [client, server]) {
    sockets.add(socket)
    socket.on('error', () => undefined) // either side may close it at any time
  }
}

async function listening(
  server: ReturnType<typeof createTcpServer>,
  seen: readonly string[],
  sockets: Set<Socket>,
): Promise<AProxy> {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
