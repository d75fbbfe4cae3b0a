/** What kubeconfigs say. */
export interface Kubeconfig {
  /** by name */
  readonly clusters: ReadonlyMap<string, Cluster>
  readonly users: ReadonlyMap<string, User>
  readonly contexts: ReadonlyMap<string, Context>
  readonly currentContext: string | undefined
}

/** Where an entry stands: `/home/me/.kube/config: users[me].user`. Messages about its fields begin with it. */
interface Placed {
  readonly place: string
}

/** An API server. Paths are absolute. What is empty in the file is undefined. */
export interface Cluster extends Placed {
  readonly server: string | undefined
  readonly tlsServerName: string | undefined
  readonly isInsecure: boolean
  readonly caFile: string | undefined
  /** PEM */
  readonly caData: string | undefined
  readonly proxyUrl: string | undefined
  readonly disableCompression: boolean
  /** what a credential plugin gets to know about this cluster */
  readonly execConfig: unknown
}

/** An identity. Paths are absolute. What is empty in the file is undefined. */
export interface User extends Placed {
  readonly certFile: string | undefined
  /** PEM */
  readonly certData: string | undefined
  readonly keyFile: string | undefined
  /** PEM */
  readonly keyData: string | undefined
  readonly token: string | undefined
  readonly tokenFile: string | undefined
  readonly username: string | undefined
  readonly password: string | undefined
  readonly as: string | undefined
  readonly asUid: string | undefined
  readonly asGroups: readonly string[]
  readonly asUserExtra: Readonly<Record<string, readonly string[]>>
  readonly exec: ExecConfig | undefined
  /** the name of a login that is built into clients */
  readonly authProvider: string | undefined
}

/** A credential plugin. */
export interface ExecConfig {
  /** absolute if it contains a slash, else found in `$PATH`; empty if the file names none */
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly apiVersion: string | undefined
  readonly interactiveMode: string | undefined
  readonly provideClusterInfo: boolean
  readonly installHint: string | undefined
}

/** Names of a cluster and a user, and the namespace of requests that name none. */
export interface Context extends Placed {
  readonly cluster: string | undefined
  readonly user: string | undefined
  readonly namespace: string | undefined
}

/** A cluster of which only this is known. */
export const bareCluster = (known: Partial<Cluster>): Cluster => ({
  place: 'the cluster',
  server: undefined,
  tlsServerName: undefined,
  isInsecure: false,
  caFile: undefined,
  caData: undefined,
  proxyUrl: undefined,
  disableCompression: false,
  execConfig: undefined,
  ...known,
})

/** A user of whom only this is known: of nothing, an anonymous one. */
export const bareUser = (known: Partial<User>): User => ({
  place: 'the user',
  certFile: undefined,
  certData: undefined,
  keyFile: undefined,
  keyData: undefined,
  token: undefined,
  tokenFile: undefined,
  username: undefined,
  password: undefined,
  as: undefined,
  asUid: undefined,
  asGroups: [],
  asUserExtra: {},
  exec: undefined,
  authProvider: undefined,
  ...known,
})

/**
 * Several kubeconfigs as one, as kubectl merges them: of two entries with one name the first counts, as does the first
 * current context.
 */
export const merged = (configs: readonly Kubeconfig[]): Kubeconfig => ({
  clusters: firstOfEach(configs.map(({ clusters }) => clusters)),
  users: firstOfEach(configs.map(({ users }) => users)),
  contexts: firstOfEach(configs.map(({ contexts }) => contexts)),
  currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
})

const firstOfEach = <T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> =>
  new Map(maps.toReversed().flatMap((map) => [...map]))
