import { listed } from '../../text/list.ts'
import { quoted } from '../../text/quoted.ts'
import { checkCluster, checkUser } from './check.ts'
import { KubeconfigError } from './found.ts'
import { bareCluster, bareUser, type Cluster, type Context, type Kubeconfig, type User } from './kubeconfig.ts'

/** Where requests go, as whom, and into which namespace if they name none. */
export interface Connection {
  readonly cluster: Cluster
  readonly user: User
  readonly namespace: string | undefined
}

/** What counts instead of what a kubeconfig says. Each is the value of the flag of kubectl with that name. */
export interface Overrides {
  readonly context?: string | undefined
  readonly cluster?: string | undefined
  readonly user?: string | undefined
  readonly namespace?: string | undefined
  readonly server?: string | undefined
  readonly token?: string | undefined
  readonly as?: string | undefined
  readonly asGroups?: readonly string[] | undefined
  readonly asUid?: string | undefined
  readonly asUserExtra?: Readonly<Record<string, readonly string[]>> | undefined
}

/**
 * The connection that a kubeconfig and these overrides name; undefined if they name no API server. Where they name no
 * user, requests are anonymous: kubectl would ask for name and password.
 * @throws KubeconfigError for a name that is not known, with those that are, and for entries that contradict themselves
 */
export function connectionIn(kubeconfig: Kubeconfig, overrides: Overrides): Connection | undefined {
  const { clusters, users, contexts, currentContext } = kubeconfig
  const context = chosen(contexts, overrides.context || currentContext, '--context', 'contexts')
  const cluster =
    chosen(clusters, overrides.cluster, '--cluster', 'clusters') ??
    named(clusters, context, 'cluster', overrides.server)
  const user = chosen(users, overrides.user, '--user', 'users') ?? named(users, context, 'user', overrides.token)
  if (!cluster && !overrides.server) return undefined
  return connectionWith(
    { cluster: cluster ?? bareCluster({}), user: user ?? bareUser({}), namespace: context?.namespace },
    overrides,
  )
}

/** `connection`, changed by what may be chosen for every one of them. @throws KubeconfigError as `connectionIn` does */
export function connectionWith({ cluster, user, namespace }: Connection, overrides: Overrides): Connection {
  // another server has another name: that in the file is about the former one
  const server = overrides.server ? { server: overrides.server, tlsServerName: undefined } : {}
  return {
    cluster: checkCluster({ ...cluster, ...server }),
    user: checkUser({
      ...user,
      ...(overrides.token ? { token: overrides.token } : {}),
      as: overrides.as || user.as,
      asUid: overrides.asUid || user.asUid,
      asGroups: overrides.asGroups?.length ? overrides.asGroups : user.asGroups,
      asUserExtra: { ...user.asUserExtra, ...overrides.asUserExtra },
    }),
    namespace: overrides.namespace || namespace,
  }
}

/** The entry with this name; undefined without one. */
function chosen<T>(
  entries: ReadonlyMap<string, T>,
  name: string | undefined,
  flag: string,
  what: string,
): T | undefined {
  const entry = entries.get(name || '')
  if (entry || !name) return entry
  const known = [...entries.keys()].map(quoted)
  const remedy = known.length > 0 ? `choose one with ${flag}: ${known.join(', ')}` : `the kubeconfig has no ${what}`
  throw new KubeconfigError(`there is no ${what.slice(0, -1)} ${quoted(name)}: ${remedy}`)
}

/**
 * The cluster or user that a context names; undefined without one.
 * @param instead a flag that makes it needless
 * @throws KubeconfigError if the context names one that does not exist, or no cluster
 */
function named<T>(
  entries: ReadonlyMap<string, T>,
  context: Context | undefined,
  key: 'cluster' | 'user',
  instead: string | undefined,
): T | undefined {
  const name = context?.[key]
  const entry = entries.get(name ?? '')
  if (entry || !context || (name === undefined && key === 'user') || instead) return entry
  const known = entries.size > 0 ? listed([...entries.keys()]) : 'none'
  const found = name === undefined ? 'none' : quoted(name)
  throw new KubeconfigError(`${context.place}.${key} must name one of the ${key}s (${known}), but names ${found}`)
}
