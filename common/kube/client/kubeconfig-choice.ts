import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Vars } from '../../program/env.ts'
import { quoted } from '../../text/quoted.ts'
import { type Connection, connectionIn, connectionWith, type Overrides } from '../config/connection.ts'
import { KubeconfigError } from '../config/found.ts'
import { bareCluster, bareUser, type Kubeconfig } from '../config/kubeconfig.ts'
import { readKubeconfigs } from '../config/read.ts'
import { podConnection } from '../config/service-account.ts'

/** The flags of kubectl that say where requests go and as whom, with its names. An empty one counts as absent. */
export interface KubeconfigFlags extends Overrides {
  /** the path of one file */
  readonly kubeconfig?: string | undefined
  /** seconds, or a duration such as `1m30s`; `0` for no limit */
  readonly requestTimeout?: string | undefined
}

/** The kubeconfigs that flags and environment name, and what counts instead of what these say. */
interface KubeconfigChoice extends Overrides {
  /** merged, the first wins; one that does not exist is skipped. If they name no API server, a pod has its account */
  readonly files: readonly string[]
}

/** A choice that was made by flags. */
export interface ChosenKubeconfig extends KubeconfigChoice {
  /** what the files said when the choice was made: saves reading them for the first request */
  readonly connection: Connection & { readonly namespace: string }
  /** of each request; undefined for the usual limits */
  readonly requestTimeoutMs: number | undefined
}

/** An API server that is known otherwise. */
export interface KnownServer {
  readonly server: string
  /** the authority that signs its certificate, in PEM; default: those that Node knows */
  readonly ca?: string | undefined
  readonly token?: string | undefined
}

/** Where credentials come from. */
export type CredentialsSource = ChosenKubeconfig | KnownServer

/**
 * Chooses as kubectl does: the file of `--kubeconfig`, else those in `$KUBECONFIG`, else `~/.kube/config`, else the
 * service account of this pod.
 * @param vars the environment
 * @throws KubeconfigError with file, field and remedy: for a file, context, cluster or user that does not exist, and
 * for what cannot be read or contradicts itself
 */
export function chooseKubeconfig(flags: KubeconfigFlags, vars: Vars): ChosenKubeconfig {
  const { kubeconfig, requestTimeout, ...overrides } = flags
  const choice = { ...overrides, files: filesOf(kubeconfig, vars) }
  if (kubeconfig && !existsSync(kubeconfig))
    throw new KubeconfigError(`${kubeconfig} does not exist: name another file with --kubeconfig`)
  const connection = chosenConnection(choice, vars)
  const namespace = connection.namespace ?? podConnection(vars)?.namespace ?? 'default'
  return { ...choice, requestTimeoutMs: timeoutMs(requestTimeout), connection: { ...connection, namespace } }
}

function filesOf(kubeconfig: string | undefined, vars: Vars): readonly string[] {
  if (kubeconfig) return [kubeconfig]
  if (vars.KUBECONFIG) return vars.KUBECONFIG.split(delimiter)
  return vars.HOME ? [join(vars.HOME, '.kube', 'config')] : []
}

/** The connection that a source names now. @throws KubeconfigError as `chooseKubeconfig` does */
export function connectionOf(source: CredentialsSource, vars: Vars): Connection {
  if ('files' in source) return chosenConnection(source, vars)
  const { server, ca, token } = source
  return { cluster: bareCluster({ server, caData: ca }), user: bareUser({ token }), namespace: undefined }
}

/** @param vars the environment in which a pod is looked for */
function chosenConnection(choice: KubeconfigChoice, vars: Vars): Connection {
  const { kubeconfig, files } = readKubeconfigs(choice.files)
  const connection = connectionIn(kubeconfig, choice)
  if (connection) return connection
  const pod = podConnection(vars)
  return pod ? connectionWith(pod, choice) : refuse(whyNone(choice.files, files, kubeconfig))
}

const refuse = (finding: string): never => {
  throw new KubeconfigError(`no API server: ${finding}`)
}

function whyNone(wanted: readonly string[], files: readonly string[], { contexts }: Kubeconfig): string {
  if (files.length === 0)
    return `${wanted.filter((file) => file !== '').join(', ') || 'a kubeconfig'} does not exist: set KUBECONFIG`
  const known = [...contexts.keys()].map(quoted).join(', ')
  return `${files.join(', ')} has no current-context: ${known ? `choose one with --context: ${known}` : 'add a context'}`
}

const UNITS_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
}

/** Milliseconds; undefined for no limit. @throws KubeconfigError */
function timeoutMs(timeout: string | undefined): number | undefined {
  if (!timeout) return undefined
  const text = /^\d+$/.test(timeout) ? `${timeout}s` : timeout
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:h|ms|m|s|us|µs|ns))+$/.test(text))
    throw new KubeconfigError(
      `--request-timeout must be a number of seconds or a duration such as 1m30s, found ${quoted(timeout)}`,
    )
  const parts = [...text.matchAll(/([\d.]+)(ms|us|µs|ns|h|m|s)/g)]
  const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS_MS[unit] ?? 0), 0)
  return ms > 0 ? Math.max(1, Math.round(ms)) : undefined
}
