import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { type Api, apiOf } from './api.ts'
import {
  type Binaries,
  type Builder,
  buildMissing,
  controlPlaneArgs,
  findBinaries,
  type Program,
  type Say,
} from './binaries.ts'
import { apiserver, controllerManager, etcd, kwok, scheduler } from './components.ts'
import { eventually } from './eventually.ts'
import { applyCrds, createNodes, nodesReady } from './first-objects.ts'
import { cacheOf } from './go.ts'
import { goBuild } from './go-build.ts'
import type { ProcessSpec } from './messages.ts'
import { mayUse } from './needs.ts'
import type { ModuleFolder } from './pins.ts'
import { describeExit, type SupervisedProcess, startSupervisor } from './processes.ts'
import { type Ran, run } from './run.ts'
import { prepareState, type RestrictedUser, type State, type User } from './state.ts'

interface StartOptions {
  /** Prints what is being built, and when a process ends unexpectedly. */
  readonly say: Say
  /**
   * Manifests of CustomResourceDefinitions, applied before the controller manager's garbage collector looks for kinds.
   */
  readonly crds?: readonly string[]
  /** Aborts the start and leaves nothing behind. */
  readonly signal?: AbortSignal
}

interface KubectlOptions {
  /** Standard input, for `-f -`. */
  readonly input?: string
  /** The path of a kubeconfig; by default the administrator's. */
  readonly kubeconfig?: string
}

/** A running Kubernetes, and what is needed to use it. */
export interface ControlPlane {
  /** Holds logs/, kubeconfigs/, ports.json and processes.json. `stop` removes it. */
  readonly stateDirectory: string
  readonly server: string
  readonly caFile: string
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string
  readonly auditLog: string
  readonly binaries: Binaries
  /** A client for the administrator. */
  readonly api: Api
  /** A client for a restricted user, who has no permissions until a test binds a role. */
  readonly apiAs: (user: RestrictedUser) => Api
  readonly kubeconfigAs: (user: User) => Promise<string>
  readonly kubectl: (args: readonly string[], options?: KubectlOptions) => Promise<Ran>
  /** Writes a kubeconfig for a token and returns its path. */
  readonly kubeconfigFor: (who: { readonly user: string; readonly token: string }) => Promise<string>
  /** Writes a kubeconfig with a new token of the ServiceAccount, valid for a day, and returns its path. */
  readonly serviceAccountKubeconfig: (account: { readonly namespace: string; readonly name: string }) => Promise<string>
  /** Runs another process, which is stopped before the control plane. `say` reports if it ends without its `stop`. */
  readonly supervise: (spec: ProcessSpec) => Promise<SupervisedProcess>
  /** The path of another program, from one of the Go modules here. It is built if it is not in the cache. */
  readonly program: (program: Program) => Promise<string>
  /** How our programs ended by themselves, or with another code than 0, although nobody expected it. */
  readonly unexpectedExits: () => readonly string[]
  /** Resolves when no process, port or file is left. May be called more than once. */
  readonly stop: () => Promise<void>
}

const DEADLINE_MS = 60_000
const DAY_SECONDS = 86_400

/**
 * Starts etcd, API server, controller manager, scheduler and kwok with three Ready nodes. Builds missing programs
 * first.
 * @throws Error that names the process that ended, with the last lines of its log, or the wait that timed out
 */
export async function startControlPlane({ say, crds = [], signal }: StartOptions): Promise<ControlPlane> {
  mayUse('controlPlane')
  const supervisor = await startSupervisor()
  const trouble = new AbortController()
  const wait = { signal: AbortSignal.any([trouble.signal, ...(signal ? [signal] : [])]) }

  async function supervise(spec: ProcessSpec): Promise<SupervisedProcess> {
    const started = await supervisor.start(spec)
    void started.exited.then((exit) => {
      if (exit.isAsked) return
      say(describeExit(spec.name, exit))
      trouble.abort(new Error(describeExit(spec.name, exit))) // ends the waits below; after the start it has no effect
    })
    return started
  }

  try {
    const builderFor = (module: ModuleFolder): Builder => {
      const build = goBuild({ supervisor, signal: wait.signal }, module, controlPlaneArgs)
      return { build, say, signal: wait.signal }
    }
    const binaries = await findBinaries(builderFor)
    const state = await prepareState(supervisor.stateDirectory, binaries)
    const { layout } = state
    await supervise(etcd(layout))
    await eventually('etcd to be ready', DEADLINE_MS, () => etcdAnswers(layout.ports.etcd), wait)
    await supervise(apiserver(layout))
    const ca = await eventually('the API server to be ready', DEADLINE_MS, () => readyCa(state), wait)
    const admin = apiOf({ server: layout.server, ca, token: state.tokens.admin })
    await applyCrds(admin, crds, wait) // before the garbage collector starts, which looks for new kinds only every 30 s
    await Promise.all([controllerManager, scheduler, kwok].map((component) => supervise(component(layout))))
    await createNodes(admin)
    await nodesReady(admin, wait)
    const program = async ({ name, module, args }: Program): Promise<string> => {
      const folder = join(await cacheOf(module), 'bin')
      // another process that ended does not abort it
      const build = goBuild({ supervisor, ...(signal && { signal }) }, module, args)
      await buildMissing(folder, [name], { build, say, signal })
      return join(folder, name)
    }
    const { unexpectedExits, stop } = supervisor
    return { ...(await offersOf(state, ca, admin)), supervise, program, unexpectedExits, stop }
  } catch (error) {
    if (!wait.signal.aborted) await sayLogs(supervisor.stateDirectory, say) // before the directory is removed
    await supervisor.stop()
    throw error
  }
}

/** Prints the end of every log, for a wait that timed out although no process ended. */
async function sayLogs(stateDirectory: string, say: Say): Promise<void> {
  const folder = join(stateDirectory, 'logs')
  for (const file of await readdir(folder)) {
    const lines = (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n')
    say(`${file} ends with:\n${lines.slice(-5).join('\n')}`)
  }
}

/** Resolves if etcd is ready. @throws Error until it has a leader and can serve */
async function etcdAnswers(port: number): Promise<void> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`)
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${statusCode} ${text}`)
}

/**
 * The certificate authority of the API server, PEM.
 * @throws Error until the API server is ready; it creates its certificate while it starts
 */
async function readyCa({ layout, tokens }: State): Promise<string> {
  const ca = await readFile(layout.caFile, 'utf8')
  const api = apiOf({ server: layout.server, ca, token: tokens.admin })
  try {
    await api.get<string>('/readyz')
    return ca
  } finally {
    await api.close()
  }
}

/** The parts of a control plane that need no supervisor. */
async function offersOf(
  { layout, tokens, kubeconfigOf }: State,
  ca: string,
  api: Api,
): Promise<Omit<ControlPlane, 'supervise' | 'program' | 'unexpectedExits' | 'stop'>> {
  const { binaries, stateDirectory, server, caFile, auditLog } = layout
  const admins = await kubeconfigOf('admin', tokens.admin)
  const env = {
    ...{ HOME: stateDirectory, PATH: '/usr/bin:/bin', KUBECACHEDIR: `${stateDirectory}/kubectl-cache` },
    GOGC: 'off', // a command is short, and garbage collection took a fifth of its processor time
  }
  return {
    stateDirectory,
    server,
    caFile,
    kubeconfig: admins,
    auditLog,
    binaries,
    api,
    apiAs: (user) => apiOf({ server, ca, token: tokens[user] }),
    kubeconfigAs: (user) => kubeconfigOf(user, tokens[user]),
    kubectl: (args, { input, kubeconfig = admins } = {}) =>
      run(binaries.kubectl, args, { input, env: { ...env, KUBECONFIG: kubeconfig } }),
    kubeconfigFor: ({ user, token }) => kubeconfigOf(user, token),
    serviceAccountKubeconfig: async ({ namespace, name }) => {
      const { status } = await api.create<{ readonly status: { readonly token: string } }>(
        `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: DAY_SECONDS } },
      )
      return kubeconfigOf(`${namespace}.${name}`, status.token)
    },
  }
}
