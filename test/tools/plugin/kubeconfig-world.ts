/** kubectl and our client side by side: with the same kubeconfig, flags and environment, against one server. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { env, execPath } from 'node:process'
import { type CertificatePair, newAuthority, newLeaf } from '../../../certs/authority.ts'
import { clientWith } from '../../../common/kube/client/client.ts'
import { Credentials } from '../../../common/kube/client/credentials.ts'
import { chooseKubeconfig, type KubeconfigFlags } from '../../../common/kube/client/kubeconfig-choice.ts'
import { realTimers } from '../../../common/program/clock.ts'
import { findBinaries } from '../../../sandbox/binaries.ts'
import { mayUse } from '../../../sandbox/needs.ts'
import { type Ran, run } from '../../../sandbox/run.ts'
import { type RecordingServer, recordingServer, type SeenRequest } from './recording-server.ts'

/** What one of both did. */
export interface Did {
  readonly isDone: boolean
  readonly requests: readonly SeenRequest[]
  /** what it said if it was not done */
  readonly said: string
}

const VALID = { clock: () => new Date(), days: 1 }
/** A plugin needs them to start Node. */
const AMBIENT = { PATH: env.PATH ?? '' }

export class KubeconfigWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'beside-kubectl-'))
  readonly server: RecordingServer
  readonly certificates: Readonly<Record<'authority' | 'leaf' | 'me' | 'you', CertificatePair>>
  readonly #kubectl: string

  private constructor(server: RecordingServer, certificates: KubeconfigWorld['certificates'], kubectl: string) {
    this.server = server
    this.certificates = certificates
    this.#kubectl = kubectl
    mkdirSync(join(this.folder, 'home/.kube'), { recursive: true })
    for (const [name, { cert, key }] of Object.entries(certificates)) {
      this.write(`${name}.crt`, cert)
      this.write(`${name}.key`, key)
    }
  }

  static async start(): Promise<KubeconfigWorld> {
    mayUse('controlPlane')
    const build = async (name: string) => {
      throw new Error(`${name} is not built`)
    }
    const { kubectl } = await findBinaries(() => ({ build, say: () => undefined }))
    const authority = await newAuthority(VALID)
    const leafFor = (...names: string[]) => newLeaf(authority, { ...VALID, names })
    const leaf = await leafFor('127.0.0.1', 'localhost', 'api.example', '10.9.9.9')
    const certificates = { authority, leaf, me: await leafFor('me'), you: await leafFor('you') }
    return new KubeconfigWorld(await recordingServer(leaf), certificates, kubectl)
  }

  async close(): Promise<void> {
    await this.server.close()
    rmSync(this.folder, { recursive: true })
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Writes a file that its owner may run. */
  write(name: string, text: string): string {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), text)
    chmodSync(this.path(name), 0o700)
    return this.path(name)
  }

  text(name: string): string {
    return readFileSync(this.path(name), 'utf8')
  }

  /** What a plugin wrote into a file, once. */
  taken(name: string): string {
    const text = existsSync(this.path(name)) ? this.text(name) : ''
    rmSync(this.path(name), { force: true })
    return text
  }

  get vars(): Readonly<Record<string, string>> {
    return { ...AMBIENT, HOME: this.path('home') }
  }

  /** What kubectl does with these flags. */
  async kubectl(flags: KubeconfigFlags, vars: Readonly<Record<string, string>> = {}): Promise<Did> {
    const args = ['get', '--raw', '/version', ...argsOf(flags)]
    const { code, stderr } = await run(this.#kubectl, args, { cwd: this.folder, env: { ...this.vars, ...vars } })
    return { isDone: code === 0, requests: this.server.take(), said: stderr }
  }

  /** What our client does with these flags. */
  async ours(flags: KubeconfigFlags, vars: Readonly<Record<string, string>> = {}): Promise<Did> {
    const said = await this.#asked(flags, { ...this.vars, ...vars }).then(
      () => undefined,
      (error: unknown) => `${error}`,
    )
    return { isDone: said === undefined, requests: this.server.take(), said: said ?? '' }
  }

  async #asked(flags: KubeconfigFlags, vars: Readonly<Record<string, string>>): Promise<void> {
    const kubeconfig = chooseKubeconfig(flags, vars)
    const timers = realTimers()
    const credentials = new Credentials({ kubeconfig, vars, timers, clock: VALID.clock })
    const asking = { userAgent: 'test', timers, random: () => 0, requestTimeoutMs: kubeconfig.requestTimeoutMs }
    const client = clientWith(credentials, { ...asking, maxTries: 1 }) // kubectl tries once
    await client.request({ verb: 'get', path: '/version' }).finally(() => client.close())
  }

  /** Both on a terminal on which somebody writes `input`. What stands on it is the standard output. */
  async onTerminal(flags: KubeconfigFlags, input: string): Promise<Readonly<Record<'kubectl' | 'ours', Ran>>> {
    const asks = join(import.meta.dirname, 'asks.ts')
    const commands = {
      kubectl: [this.#kubectl, 'get', '--raw', '/version', ...argsOf(flags)],
      ours: [execPath, asks, JSON.stringify(flags)],
    }
    const ran = (command: readonly string[]) =>
      run('script', ['--quiet', '--return', '--command', command.map(shellWord).join(' '), '/dev/null'], {
        input,
        cwd: this.folder,
        env: this.vars,
      })
    return { kubectl: await ran(commands.kubectl), ours: await ran(commands.ours) }
  }
}

const shellWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

const NAMES: Readonly<Record<keyof KubeconfigFlags, string>> = {
  kubeconfig: 'kubeconfig',
  context: 'context',
  cluster: 'cluster',
  user: 'user',
  namespace: 'namespace',
  server: 'server',
  token: 'token',
  as: 'as',
  asGroups: 'as-group',
  asUid: 'as-uid',
  asUserExtra: 'as-user-extra',
  requestTimeout: 'request-timeout',
}

const argsOf = ({ asGroups = [], asUserExtra = {}, ...flags }: KubeconfigFlags): readonly string[] => [
  ...Object.entries(flags).map(([flag, value]) => `--${new Map(Object.entries(NAMES)).get(flag)}=${value}`),
  ...asGroups.map((group) => `--as-group=${group}`),
  ...Object.entries(asUserExtra).flatMap(([key, values]) => values.map((value) => `--as-user-extra=${key}=${value}`)),
]
