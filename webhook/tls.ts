import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { SecureContextOptions } from 'node:tls'

/** PEM texts. */
export interface Pair {
  readonly cert: string
  readonly key: string
  /** whoever calls must have a certificate of this authority */
  readonly clientCa?: string | undefined
}

/** As Node spells them. The API server speaks 1.3; something between it and us may not. */
export const TLS_VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const
export type TlsVersion = (typeof TLS_VERSIONS)[number]

export interface Serving extends Pair {
  readonly minVersion?: TlsVersion
  /** for a request to arrive whole; an answer may take as long as it takes */
  readonly requestMs?: number
}

/** What of a server's settings a new certificate replaces; the others must be told again with it. */
export const secureContext = ({ cert, key, clientCa, minVersion = 'TLSv1.3' }: Serving): SecureContextOptions => ({
  cert,
  key,
  minVersion,
  ...(clientCa !== undefined && { ca: clientCa }),
})

/** `app` over TLS, as the API server calls it. */
export function tlsServer(app: RequestListener, serving: Serving): Server {
  const { clientCa, requestMs = 15_000 } = serving
  const server = createServer(
    {
      ...secureContext(serving),
      requestCert: clientCa !== undefined, // then without a good one the handshake fails
      ALPNProtocols: ['http/1.1'],
      connectionsCheckingInterval: requestMs / 3, // Node's 30 s would make 45 s of our 15 s
      requestTimeout: requestMs,
      headersTimeout: (requestMs * 2) / 3, // Node wants it to be no more than the other
      keepAliveTimeout: 120_000, // above the API server's 90 s, so that it never writes into a closing connection
    },
    app,
  )
  server.maxConnections = 1_000
  return server
}
