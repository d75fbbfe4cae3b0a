import { randomUUID } from 'node:crypto'
import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from 'node:process'
import { MODULES, type Pins, pinsOf } from './pins.ts'
import { run } from './run.ts'

const KUBERNETES = 'k8s.io/kubernetes'

/** The programs of the control plane: which package is built, in which module, and how it is asked for its version. */
const TOOLS = {
  etcd: { package: 'go.etcd.io/etcd/server/v3', module: 'go.etcd.io/etcd/server/v3', ask: ['--version'] },
  kwok: { package: 'sigs.k8s.io/kwok/cmd/kwok', module: 'sigs.k8s.io/kwok', ask: ['--version'] },
  kubectl: { package: `${KUBERNETES}/cmd/kubectl`, module: KUBERNETES, ask: ['version', '--client'] },
  'kube-proxy': { package: `${KUBERNETES}/cmd/kube-proxy`, module: KUBERNETES, ask: ['--version'] },
  'kube-scheduler': { package: `${KUBERNETES}/cmd/kube-scheduler`, module: KUBERNETES, ask: ['--version'] },
  'kube-controller-manager': {
    package: `${KUBERNETES}/cmd/kube-controller-manager`,
    module: KUBERNETES,
    ask: ['--version'],
  },
  'kube-apiserver': { package: `${KUBERNETES}/cmd/kube-apiserver`, module: KUBERNETES, ask: ['--version'] },
} as const

export type BinaryName = keyof typeof TOOLS
/** Where each program lies. */
export type Binaries = Readonly<Record<BinaryName, string>>
/** Makes the program `name` at the path `output`. */
export type Build = (name: string, output: string) => Promise<void>
/** The arguments of `go` that make the program `name` at `output`. */
export type BuildArgs = (name: string, output: string) => readonly string[]
export type Say = (line: string) => void

const BINARY_NAMES = Object.keys(TOOLS) as readonly BinaryName[]
const ABANDONED_AFTER_MS = 3_600_000

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Without these, `/version` is no semantic version and clients that parse it break: Kubernetes says v0.0.0-master+$Format:%H$. */
function versionFlags(version: string): string {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version) ?? []
  const facts = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitCommit: '0000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
  }
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
    .flatMap((home) => Object.entries(facts).map(([fact, value]) => `-X ${home}.${fact}=${value}`))
    .join(' ')
}

/** How each program is built. */
export const controlPlaneArgs: BuildArgs = (name, output) => [
  'build',
  '-trimpath',
  '-tags=selinux,notest,grpcnotrace', // as Kubernetes' own release build
  `-ldflags=-s -w ${versionFlags(pinsOf(MODULES.controlPlane).versionOf(KUBERNETES))}`,
  '-o',
  output,
  TOOLS[name as BinaryName].package,
]

/**
 * Makes those of `names` that are not in `folder` yet. Several processes may do so at once: each builds under a name of
 * its own and renames, so nobody sees half a program; who comes second uses what the first one made.
 */
export async function buildMissing(folder: string, names: readonly string[], build: Build, say: Say): Promise<void> {
  await mkdir(folder, { recursive: true })
  await removeAbandoned(folder)
  const missing: string[] = []
  for (const name of names) if (!(await exists(join(folder, name)))) missing.push(name)
  for (const [place, name] of missing.entries()) {
    const target = join(folder, name)
    if (await exists(target)) continue // made by someone else meanwhile
    say(`building ${name}, ${missing.length - place - 1} more after it`)
    const startedAt = performance.now()
    const unfinished = join(folder, `${name}.${randomUUID()}.unfinished`)
    try {
      await build(name, unfinished)
      if (!(await exists(target))) await rename(unfinished, target)
    } finally {
      await rm(unfinished, { force: true })
    }
    say(`built ${name} in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
}

/** What a killed build left behind; a living one is younger. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.unfinished')) continue
    const path = join(folder, file)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY })) // just finished
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true })
  }
}

/** Whether `output` of a version command names exactly `version`: v1.36.3 is not v1.36.30. */
export const hasVersion = (output: string, version: string): boolean =>
  output.split(/[\s,]+/).some((word) => word.replace(/^v/, '') === version.replace(/^v/, ''))

async function provided(name: BinaryName, assets: string, { versionOf }: Pins): Promise<string | undefined> {
  const path = join(assets, name)
  const answer = await run(path, TOOLS[name].ask).catch(() => undefined) // it is not there: then we build
  return answer?.code === 0 && hasVersion(answer.stdout, versionOf(TOOLS[name].module)) ? path : undefined
}

/**
 * All programs, those of `$KUBEBUILDER_ASSETS` where they are of the pinned version, otherwise of `cache`, where they
 * are built when they are missing.
 * @throws whatever `build` throws.
 */
export async function findBinaries(cache: string, build: Build, say: Say): Promise<Binaries> {
  const pins = pinsOf(MODULES.controlPlane)
  const folder = join(cache, 'bin')
  const found = new Map<BinaryName, string>()
  if (env.KUBEBUILDER_ASSETS)
    for (const name of BINARY_NAMES) {
      const path = await provided(name, env.KUBEBUILDER_ASSETS, pins)
      if (path) found.set(name, path)
    }
  await buildMissing(
    folder,
    BINARY_NAMES.filter((name) => !found.has(name)),
    build,
    say,
  )
  return Object.fromEntries(BINARY_NAMES.map((name) => [name, found.get(name) ?? join(folder, name)])) as Binaries
}
