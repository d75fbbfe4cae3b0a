import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { SecureContextOptions } from 'node:tls'

/** A certificate and its key, as PEM. */
export interface CertificatePair {
  readonly cert: string
  readonly key: string
  /** the authority that must have signed the certificates of clients */
  readonly clientCa?: string | undefined
}

/** Minimum versions, as Node spells them. The API server supports 1.3, but a proxy before the webhook may not. */
export const TLS_VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const

interface TlsOptions extends CertificatePair {
  readonly minVersion?: (typeof TLS_VERSIONS)[number]
  /** the time for a whole request to arrive, and 2/3 of it for a handshake; there is no limit for the response */
  readonly requestMs?: number
}

/** The options for `setSecureContext`. A new certificate must come with all of them, since it replaces them all. */
export const secureContext = ({ cert, key, clientCa, minVersion = 'TLSv1.3' }: TlsOptions): SecureContextOptions => ({
  cert,
  key,
  minVersion,
  ...(clientCa !== undefined && { ca: clientCa }),
})

/** A server of `app` over TLS, with the settings that the API server needs. */
export function tlsServer(app: RequestListener, serving: TlsOptions): Server {
  const { clientCa, requestMs = 15_000 } = serving
  const server = createServer(
    {
      ...secureContext(serving),
      requestCert: clientCa !== undefined, // the handshake fails without a valid one
      ALPNProtocols: ['http/1.1'],
      connectionsCheckingInterval: requestMs / 3, // with Node's 30 s, our 15 s would become 45 s
      requestTimeout: requestMs,
      headersTimeout: (requestMs * 2) / 3, // must not exceed requestTimeout
      handshakeTimeout: (requestMs * 2) / 3,
      keepAliveTimeout: 120_000, // longer than the API server's 90 s, so that it never uses a connection that we close
    },
    app,
  )
  server.maxConnections = 4_000 // the last resort: `limitConnections` keeps fewer open, and chooses which
  return server
}
