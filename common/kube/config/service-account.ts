import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Vars } from '../../program/env.ts'
import type { Connection } from './connection.ts'
import { bareCluster, bareUser } from './kubeconfig.ts'

/** Where the kubelet mounts the service account of a pod. */
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The connection of a pod with its service account; undefined if this is no pod, or one without a token. */
export function podConnection(vars: Vars, folder = FOLDER): Connection | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = vars
  const tokenFile = join(folder, 'token')
  if (!host || !port || !existsSync(tokenFile)) return undefined
  return {
    cluster: bareCluster({
      place: 'the service account of this pod',
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      caFile: join(folder, 'ca.crt'),
    }),
    user: bareUser({ place: 'the service account of this pod', tokenFile }),
    namespace: vars.POD_NAMESPACE || namespaceIn(folder),
  }
}

function namespaceIn(folder: string): string | undefined {
  const file = join(folder, 'namespace')
  return (existsSync(file) && readFileSync(file, 'utf8').trim()) || undefined
}
