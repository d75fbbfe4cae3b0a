import { dirname, resolve, sep } from 'node:path'
import { parse } from 'yaml'
import { isObject, member } from '../../json/json.ts'
import { quoted } from '../../text/quoted.ts'
import {
  base64In,
  type Found,
  flagIn,
  inside,
  isAbsent,
  itemsIn,
  KubeconfigError,
  mapOf,
  refuse,
  requiredText,
  textIn,
  textsIn,
} from './found.ts'
import type { Cluster, Context, ExecConfig, Kubeconfig, User } from './kubeconfig.ts'

/** The extension of a cluster that is for credential plugins. Source: `clientcmd.clusterExtensionKey` of client-go. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'

/**
 * What the text of a kubeconfig says. Fields that are not known are left out. Paths in it are relative to its `file`.
 * @throws KubeconfigError with file, field, finding and remedy: for YAML that is none, for a field of a wrong type
 */
export function decodeKubeconfig(text: string, file: string): Kubeconfig {
  const root = mapOf({ place: `${file}: `, value: parsed(text, file) })
  for (const [key, wanted] of [
    ['apiVersion', 'v1'],
    ['kind', 'Config'],
  ] as const)
    if ((textIn(root, key) ?? wanted) !== wanted) refuse(inside(root, key), `"${wanted}", or left out`)
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(dirname(file), path))
  return {
    clusters: named(root, 'clusters', 'cluster', (found) => clusterIn(found, absolute)),
    users: named(root, 'users', 'user', (found) => userIn(found, absolute)),
    contexts: named(root, 'contexts', 'context', contextIn),
    currentContext: textIn(root, 'current-context'),
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text, { logLevel: 'error', merge: true })
  } catch (error) {
    const [finding = ''] = (error instanceof Error ? error.message : `${error}`).split('\n')
    throw new KubeconfigError(`${file} must be YAML: ${finding.replace(/:$/, '')}`, { cause: error })
  }
}

/** Makes a path absolute. */
type Absolute = (path: string | undefined) => string | undefined

/** The entries of a list by their names. Each has its content in the member `key`. */
function named<T>(root: Found, list: string, key: string, decode: (found: Found) => T): ReadonlyMap<string, T> {
  const entries = new Map<string, T>()
  for (const item of itemsIn(root, list)) {
    const name = requiredText(item, 'name', 'give the entry a name')
    const { place } = inside(root, list)
    if (entries.has(name))
      throw new KubeconfigError(`${place} has two entries with the name ${quoted(name)}: remove one`)
    entries.set(name, decode(inside({ place: `${place}[${name}]`, value: item.value }, key)))
  }
  return entries
}

const clusterIn = (found: Found, absolute: Absolute): Cluster => ({
  place: found.place,
  server: textIn(found, 'server'),
  tlsServerName: textIn(found, 'tls-server-name'),
  isInsecure: flagIn(found, 'insecure-skip-tls-verify'),
  caFile: absolute(textIn(found, 'certificate-authority')),
  caData: base64In(found, 'certificate-authority-data'),
  proxyUrl: textIn(found, 'proxy-url'),
  disableCompression: flagIn(found, 'disable-compression'),
  execConfig: member(
    itemsIn(found, 'extensions').find(({ value }) => member(value, 'name') === EXEC_EXTENSION)?.value,
    'extension',
  ),
})

const userIn = (found: Found, absolute: Absolute): User => ({
  place: found.place,
  certFile: absolute(textIn(found, 'client-certificate')),
  certData: base64In(found, 'client-certificate-data'),
  keyFile: absolute(textIn(found, 'client-key')),
  keyData: base64In(found, 'client-key-data'),
  token: textIn(found, 'token'),
  tokenFile: absolute(textIn(found, 'tokenFile')),
  username: textIn(found, 'username'),
  password: textIn(found, 'password'),
  as: textIn(found, 'as'),
  asUid: textIn(found, 'as-uid'),
  asGroups: textsIn(found, 'as-groups'),
  asUserExtra: extraIn(inside(found, 'as-user-extra')),
  exec: execIn(inside(found, 'exec'), absolute),
  authProvider: textIn(inside(found, 'auth-provider'), 'name'),
})

function extraIn(found: Found): Readonly<Record<string, readonly string[]>> {
  const { value } = mapOf(found)
  const keys = isObject(value) ? Object.keys(value) : []
  return Object.fromEntries(keys.map((key) => [key, textsIn(found, key)]))
}

function execIn(found: Found, absolute: Absolute): ExecConfig | undefined {
  if (isAbsent(found)) return undefined
  const command = textIn(found, 'command') ?? ''
  return {
    command: command.includes(sep) ? (absolute(command) ?? command) : command,
    args: textsIn(found, 'args'),
    env: Object.fromEntries(itemsIn(found, 'env').map(variableIn)),
    apiVersion: textIn(found, 'apiVersion'),
    interactiveMode: textIn(found, 'interactiveMode'),
    provideClusterInfo: flagIn(found, 'provideClusterInfo'),
    installHint: textIn(found, 'installHint'),
  }
}

const variableIn = (found: Found): readonly [string, string] => [
  textIn(found, 'name') ?? '',
  textIn(found, 'value') ?? '',
]

const contextIn = (found: Found): Context => ({
  place: found.place,
  cluster: textIn(found, 'cluster'),
  user: textIn(found, 'user'),
  namespace: textIn(found, 'namespace'),
})
