import type { KubeClient } from '../../common/kube/client/client.ts'

/** How to reach the cluster, as the flags say. What is absent, the kubeconfig says. */
export interface ConnectionFlags {
  readonly kubeconfig?: string
  readonly context?: string
  readonly cluster?: string
  readonly user?: string
  readonly namespace?: string
  readonly server?: string
  readonly token?: string
  readonly as?: string
  readonly asGroup?: readonly string[]
  readonly asUid?: string
  readonly requestTimeout?: string
}

/** A client of the cluster, and the namespace in which names are looked for. */
export interface Connection {
  readonly client: KubeClient
  readonly namespace: string
}

/** Chooses the cluster and the credentials. Sends nothing. @throws Error if the flags or files name none */
export type Connect = (flags: ConnectionFlags) => Promise<Connection>
