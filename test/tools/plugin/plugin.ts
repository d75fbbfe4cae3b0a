/** The plugin as people start it: `kubectl experiment …`, from the built package, on the control plane of the run. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { parse, stringify } from 'yaml'
import { npmPackage } from '../../../build/npm.ts'
import { type Ran, run } from '../../../sandbox/run.ts'
import type { User } from '../../../sandbox/state.ts'
import { usesControlPlane } from '../../integration/fixture.ts'

/** Who calls it, and in which namespace. */
export interface Account {
  /** whose token it is */
  readonly user: User
  readonly namespace: string
  /** as whom that user acts, as `as` in a kubeconfig says; absent: as herself */
  readonly as?: string
}

interface Calling {
  readonly as: Account
  readonly input?: string
}

/** The built package, with its programs in a folder of `$PATH`. */
export interface Plugin {
  /** the folder of the package */
  readonly folder: string
  /** Runs kubectl with these words, without a terminal. */
  readonly kubectl: (words: readonly string[], calling: Calling) => Promise<Ran>
  /** Runs it on a terminal of 120 columns and 40 rows, on which somebody writes `input`. */
  readonly onTerminal: (words: readonly string[], calling: Calling) => Promise<Ran>
  /** Starts it without a terminal, for a test that watches it. */
  readonly start: (words: readonly string[], calling: Calling) => Promise<ChildProcess>
  /** Runs a command line of a shell in `folder`, with the plugin. */
  readonly shell: (line: string, calling: Calling & { readonly cwd?: string }) => Promise<Ran>
}

/** To be called in a `describe`: the plugin is built. Returns a function that returns it while the tests run. */
export function usesPlugin(): () => Plugin {
  const plane = usesControlPlane()
  let plugin: Plugin | undefined
  let folder = ''
  before('the plugin is built', async function () {
    this.timeout(120_000)
    folder = await mkdtemp(join(tmpdir(), 'plugin-'))
    await npmPackage(join(folder, 'npm'))
    await mkdir(join(folder, 'bin'))
    for (const name of ['kubectl-experiment', 'kubectl_complete-experiment'])
      await symlink(`../npm/bin/${name}.cjs`, join(folder, 'bin', name))
    const written = new Map<string, Promise<string>>() // while one command reads it, another one must not write it
    const kubeconfig = (account: Account) => {
      const key = JSON.stringify(account)
      const path = written.get(key) ?? kubeconfigOf(folder, account, plane())
      written.set(key, path)
      return path
    }
    plugin = pluginIn(folder, plane().binaries.kubectl, kubeconfig)
  })
  after('its files are removed', () => rm(folder, { recursive: true, force: true }))
  return () => {
    if (!plugin) throw new Error('the plugin is there when tests run')
    return plugin
  }
}

type Plane = ReturnType<ReturnType<typeof usesControlPlane>>

/** Writes the kubeconfig of an account. Returns its path. */
async function kubeconfigOf(folder: string, { user, namespace, as }: Account, plane: Plane): Promise<string> {
  const config = parse(await readFile(await plane.kubeconfigAs(user), 'utf8'))
  config.contexts[0].context.namespace = namespace
  if (as !== undefined) config.users[0].user.as = as
  const path = join(folder, `${[user, as, namespace].join('-')}.yaml`)
  await writeFile(path, stringify(config), { mode: 0o600 })
  return path
}

function pluginIn(folder: string, kubectl: string, kubeconfig: (of: Account) => Promise<string>): Plugin {
  const PATH = [join(folder, 'bin'), dirname(kubectl), dirname(execPath), '/usr/bin', '/bin'].join(delimiter)
  const varsOf = async (account: Account) => ({
    ...{ PATH, HOME: folder, LANG: 'C.UTF-8', SHELL: '/bin/sh', TERM: 'xterm' },
    ...{ KUBECONFIG: await kubeconfig(account), KUBECACHEDIR: join(folder, 'kubectl-cache') },
  })
  const shell: Plugin['shell'] = async (line, { as, input, cwd = folder }) =>
    run('/bin/sh', ['-c', line], { env: await varsOf(as), cwd, input })
  return {
    folder: join(folder, 'npm'),
    shell,
    kubectl: async (words, { as, input }) => run(kubectl, words, { env: await varsOf(as), input }),
    onTerminal: async (words, { as, input }) => {
      const line = `stty rows 40 cols 120; exec ${['kubectl', ...words].map(shellWord).join(' ')}`
      return run('script', ['--quiet', '--return', '--command', line, '/dev/null'], { env: await varsOf(as), input })
    },
    start: async (words, { as }) => spawn(kubectl, words, { env: await varsOf(as), stdio: ['ignore', 'pipe', 'pipe'] }),
  }
}

const shellWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
