import type { Cluster, User } from './kubeconfig.ts'
import { fileIn } from './read.ts'

/** The TLS settings of a connection, in PEM. */
export interface TlsSettings {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly servername?: string
  readonly rejectUnauthorized?: boolean
}

/** How the API server proves who it is. @throws KubeconfigError if a file cannot be read */
export function serverTls(cluster: Cluster): TlsSettings {
  const ca = authorityOf(cluster)
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cluster.tlsServerName === undefined ? {} : { servername: cluster.tlsServerName }),
    ...(cluster.isInsecure ? { rejectUnauthorized: false } : {}),
  }
}

/** The authority that signs the certificate of the API server; undefined for those that Node knows. */
export const authorityOf = ({ place, caData, caFile }: Cluster): string | undefined =>
  caData ?? (caFile === undefined ? undefined : fileIn(`${place}.certificate-authority`, caFile))

/** The user's certificate and key, if there are any. @throws KubeconfigError if a file cannot be read */
export function clientTls({ place, certData, certFile, keyData, keyFile }: User): Pick<TlsSettings, 'cert' | 'key'> {
  if (certData === undefined && certFile === undefined) return {}
  return {
    cert: certData ?? fileIn(`${place}.client-certificate`, certFile ?? ''),
    key: keyData ?? fileIn(`${place}.client-key`, keyFile ?? ''),
  }
}
