import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { npmPackage } from '../../build/npm.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { run } from '../../sandbox/run.ts'
import { imageOverride } from '../builders.ts'
import { aSource, placeAt } from '../integration/product.ts'
import { type Bench, median, ratioFigure } from './figure.ts'
import { withProduct } from './stand.ts'

const NAMESPACE = 'bench'
const NAME = 'measured'
const ROUNDS = 15
const MS_PER_S = 1_000

interface Started {
  readonly command: string
  readonly args: readonly string[]
}

/** What is measured, and the reference of each: a Node that does nothing, and kubectl. */
const startedBy = (folder: string, plane: ControlPlane) => {
  const ours = (program: string, ...args: readonly string[]): Started => ({
    command: execPath,
    args: [join(folder, 'bin', `${program}.cjs`), ...args],
  })
  return {
    node: { command: execPath, args: ['--eval', '0'] },
    help: ours('kubectl-experiment', '--help'),
    words: ours('kubectl_complete-experiment', 'status', NAME, '--'),
    get: ours('kubectl-experiment', 'get', NAME),
    names: ours('kubectl_complete-experiment', 'get', ''),
    kubectl: { command: plane.binaries.kubectl, args: ['get', 'expd', NAME] },
  } satisfies Readonly<Record<string, Started>>
}

/** The processor time of a command, of user and system, in milliseconds. The shell asks the kernel. */
async function cpuMs({ command, args }: Started, env: NodeJS.ProcessEnv): Promise<number> {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" > /dev/null'
  const { code, stderr } = await run('bash', ['-c', script, 'bash', command, ...args], { env })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
  const [user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return (user + system) * MS_PER_S
}

/** From the start of a command until it first prints something, in milliseconds. */
async function firstOutputMs({ command, args }: Started, env: NodeJS.ProcessEnv): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const closed = once(child, 'close')
  await once(child.stdout, 'data')
  const ms = performance.now() - startedAt
  await closed
  return ms
}

/** The median of each, in turns: what else the machine does then meets all alike. */
async function medians<Key extends string>(keys: readonly Key[], measure: (key: Key) => Promise<number>) {
  const values = new Map(keys.map((key) => [key, [] as number[]]))
  for (let round = 0; round < ROUNDS; round += 1) for (const key of keys) values.get(key)?.push(await measure(key))
  return (key: Key): number => median(values.get(key) ?? [])
}

/** Starts the plugin from its package, beside a Node that does nothing and beside kubectl. */
export const cli: Bench = {
  name: 'cli',
  measures: 'CPU of the plugin of kubectl beside a Node that does nothing, and its first output beside that of kubectl',
  async run(tell) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-cli-'))
    try {
      await npmPackage(folder)
      return await withProduct(tell, async ({ plane }) => {
        const started = startedBy(folder, plane)
        const env = {
          ...{ KUBECONFIG: await kubeconfigIn(plane, folder), KUBECACHEDIR: join(folder, 'cache') },
          ...{ PATH: `${dirname(execPath)}:/usr/bin:/bin`, HOME: folder, LANG: 'C.UTF-8' },
        }
        await anExperiment(plane)
        for (const each of Object.values(started)) await cpuMs(each, env) // files and caches are warm then
        tell(`${ROUNDS} rounds`)
        const cpu = await medians(['node', 'help', 'words', 'get', 'names'], (key) => cpuMs(started[key], env))
        const first = await medians(['get', 'kubectl'], (key) => firstOutputMs(started[key], env))
        const ofNode = (name: string, key: 'help' | 'words' | 'get' | 'names', atMost: number) =>
          ratioFigure({ name, value: cpu(key), unit: 'ms of CPU', against: cpu('node'), atMost })
        return [
          ofNode('--help', 'help', 2.5),
          ofNode('completion of flags', 'words', 2.5),
          ofNode('get NAME', 'get', 9),
          ofNode('completion of names', 'names', 9),
          ratioFigure({
            name: 'first output of get NAME',
            value: first('get'),
            unit: 'ms',
            against: first('kubectl'),
            atMost: 4,
          }),
        ]
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function kubeconfigIn({ kubectl, kubeconfig }: ControlPlane, folder: string): Promise<string> {
  const path = join(folder, 'kubeconfig.yaml')
  await run('cp', [kubeconfig, path])
  const { code, stderr } = await kubectl(['config', 'set-context', '--current', `--namespace=${NAMESPACE}`], {
    kubeconfig: path,
  })
  if (code !== 0) throw new Error(stderr)
  return path
}

async function anExperiment({ api, kubectl }: ControlPlane): Promise<void> {
  await api.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
  const place = placeAt(api, kubectl, NAMESPACE)
  await aSource(place, 'cart', { replicas: 3 })
  await place.experiment(NAME, { source: 'cart', overrideSpec: imageOverride('registry.example/cart:2') })
  await place.reaches(NAME, 'Available')
}
