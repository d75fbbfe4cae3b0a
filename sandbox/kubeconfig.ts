import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'

/** The cluster and the user of a kubeconfig. */
interface KubeconfigOptions {
  readonly server: string
  readonly caFile: string
  readonly user: string
  readonly token: string
}

/** Writes a kubeconfig with one cluster, one user and one context, readable only by its owner. Returns `path`. */
export async function writeKubeconfig(
  path: string,
  { server, caFile, user, token }: KubeconfigOptions,
): Promise<string> {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'sandbox', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user } }],
    'current-context': 'sandbox',
  }
  await writeFile(path, stringify(config), { mode: 0o600 })
  return path
}
