import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { type Api, apiOf } from './api.ts'
import { type Binaries, type BuildArgs, buildMissing, controlPlaneArgs, findBinaries, type Say } from './binaries.ts'
import { apiserver, controllerManager, etcd, kwok, scheduler } from './components.ts'
import { eventually } from './eventually.ts'
import { applyCrds, createNodes, nodesReady } from './first-objects.ts'
import { cacheOf } from './go.ts'
import { goBuild } from './go-build.ts'
import type { ProcessSpec } from './messages.ts'
import { MODULES, type ModuleFolder } from './pins.ts'
import { describeExit, type SupervisedProcess, startSupervisor } from './processes.ts'
import { type Ran, run } from './run.ts'
import { prepareState, type RestrictedUser, type State, type User } from './state.ts'

export interface StartOptions {
  /** Told what is being built, and when a process ends by itself. */
  readonly say: Say
  /** Manifests of CustomResourceDefinitions: in place before the controller manager looks for kinds to collect. */
  readonly crds?: readonly string[]
  /** Gives up, and leaves nothing behind. */
  readonly signal?: AbortSignal
}

export interface KubectlOptions {
  /** For `-f -`. */
  readonly input?: string
  /** Whose; the administrator's when left out. */
  readonly kubeconfig?: string
}

/** A running Kubernetes, and all one needs to use it. */
export interface ControlPlane {
  /** Gone after `stop`, with all that is in it: logs/, kubeconfigs/, ports.json, processes.json. */
  readonly stateDirectory: string
  readonly server: string
  readonly caFile: string
  /** The administrator's. */
  readonly kubeconfig: string
  readonly auditLog: string
  readonly binaries: Binaries
  /** The administrator's requests. */
  readonly api: Api
  /** For the restricted users: no rights until bound. */
  readonly apiAs: (user: RestrictedUser) => Api
  readonly kubeconfigAs: (user: User) => Promise<string>
  readonly kubectl: (args: readonly string[], options?: KubectlOptions) => Promise<Ran>
  /** Writes a kubeconfig for any token and returns its path. */
  readonly kubeconfigFor: (who: { readonly user: string; readonly token: string }) => Promise<string>
  /** A kubeconfig with a fresh token of the ServiceAccount, good for a day. */
  readonly serviceAccountKubeconfig: (account: { readonly namespace: string; readonly name: string }) => Promise<string>
  /** Runs one more process, which is stopped before the control plane. `say` tells when it ends without its `stop`. */
  readonly supervise: (spec: ProcessSpec) => Promise<SupervisedProcess>
  /** The path of one more program, of one of our Go modules, built when it is not in the cache. */
  readonly program: (name: string, module: ModuleFolder, args: BuildArgs) => Promise<string>
  /** Resolves when no process, port or file is left. May be called again. */
  readonly stop: () => Promise<void>
}

const DEADLINE_MS = 60_000
const DAY_SECONDS = 86_400

/**
 * Starts etcd, API server, controller manager, scheduler and kwok with three Ready nodes, building what is not built.
 * @throws Error that names the process that ended, with the last lines of its log, or what was waited for in vain.
 */
export async function startControlPlane({ say, crds = [], signal }: StartOptions): Promise<ControlPlane> {
  const supervisor = await startSupervisor()
  const trouble = new AbortController()
  const wait = { signal: AbortSignal.any([trouble.signal, ...(signal ? [signal] : [])]) }

  async function supervise(spec: ProcessSpec): Promise<SupervisedProcess> {
    const started = await supervisor.start(spec)
    void started.exited.then((exit) => {
      if (exit.isAsked) return
      say(describeExit(spec.name, exit))
      trouble.abort(new Error(describeExit(spec.name, exit))) // ends the waits below; later on, nobody listens
    })
    return started
  }

  try {
    const { controlPlane } = MODULES
    const build = goBuild({ supervisor, signal: wait.signal }, controlPlane, controlPlaneArgs)
    const binaries = await findBinaries(await cacheOf(controlPlane), build, say)
    const state = await prepareState(supervisor.stateDirectory, binaries)
    const { layout } = state
    await supervise(etcd(layout))
    await eventually('etcd to be ready', DEADLINE_MS, () => etcdAnswers(layout.ports.etcd), wait)
    await supervise(apiserver(layout))
    const ca = await eventually('the API server to be ready', DEADLINE_MS, () => readyCa(state), wait)
    const admin = apiOf({ server: layout.server, ca, token: state.tokens.admin })
    await applyCrds(admin, crds, wait) // before the garbage collector, which looks for new kinds every 30 s only
    await Promise.all([controllerManager, scheduler, kwok].map((component) => supervise(component(layout))))
    await createNodes(admin)
    await nodesReady(admin, wait)
    const program = async (name: string, module: ModuleFolder, args: BuildArgs): Promise<string> => {
      const folder = join(await cacheOf(module), 'bin')
      const build = goBuild({ supervisor, ...(signal && { signal }) }, module, args) // whoever died is no reason to give up
      await buildMissing(folder, [name], build, say)
      return join(folder, name)
    }
    return { ...(await offersOf(state, ca, admin)), supervise, program, stop: supervisor.stop }
  } catch (error) {
    if (!wait.signal.aborted) await sayLogs(supervisor.stateDirectory, say) // they go with the directory
    await supervisor.stop()
    throw error
  }
}

/** The end of every log: for a wait that was in vain although nobody died. */
async function sayLogs(stateDirectory: string, say: Say): Promise<void> {
  const folder = join(stateDirectory, 'logs')
  for (const file of await readdir(folder)) {
    const lines = (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n')
    say(`${file} ends with:\n${lines.slice(-5).join('\n')}`)
  }
}

/** @throws Error until etcd has a leader and can serve. */
async function etcdAnswers(port: number): Promise<void> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`)
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${statusCode} ${text}`)
}

/**
 * The API server's certificate authority, once all its parts say that they are ready.
 * @throws Error until then: it makes its certificate while it starts.
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

/** Everything a control plane offers that needs no supervisor. */
async function offersOf(
  { layout, tokens, kubeconfigOf }: State,
  ca: string,
  api: Api,
): Promise<Omit<ControlPlane, 'supervise' | 'program' | 'stop'>> {
  const { binaries, stateDirectory, server, caFile, auditLog } = layout
  const admins = await kubeconfigOf('admin', tokens.admin)
  const env = { HOME: stateDirectory, PATH: '/usr/bin:/bin', KUBECACHEDIR: `${stateDirectory}/kubectl-cache` }
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
