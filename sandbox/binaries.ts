import { randomUUID } from 'node:crypto'
import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from 'node:process'
import { cacheOf } from './go.ts'
import { lock } from './lock.ts'
import { patiently } from './patiently.ts'
import { MODULES, type ModuleFolder, pinsOf } from './pins.ts'
import { run } from './run.ts'

const KUBERNETES = 'k8s.io/kubernetes'

/** The programs of the control plane: the package to build, its module, and the arguments that print its version. */
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

/** A program of the control plane. */
export type BinaryName = keyof typeof TOOLS
/** The path of each program. */
export type Binaries = Readonly<Record<BinaryName, string>>
/** Builds the program `name` as the file `output`. */
export type Build = (name: string, output: string) => Promise<void>
/** The arguments of `go` that build the program `name` as the file `output`. */
export type BuildArgs = (name: string, output: string) => readonly string[]
/** A program that is built from a Go module. */
export interface Program {
  readonly name: string
  readonly module: ModuleFolder
  readonly args: BuildArgs
}

/** Prints a line for the user. */
export type Say = (line: string) => void

const BINARY_NAMES = Object.keys(TOOLS) as readonly BinaryName[]
const ABANDONED_AFTER_MS = 3_600_000

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Without these flags `/version` is `v0.0.0-master+$Format:%H$`, and clients that parse it as a semantic version fail.
 */
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

/** The arguments that build each program of the control plane. */
export const controlPlaneArgs: BuildArgs = (name, output) => [
  'build',
  '-trimpath',
  '-tags=selinux,notest,grpcnotrace', // as in Kubernetes' release builds
  `-ldflags=-s -w ${versionFlags(pinsOf(MODULES.kubernetes).versionOf(KUBERNETES))}`,
  '-o',
  output,
  TOOLS[name as BinaryName].package,
]

/** How missing programs are built. */
export interface Builder {
  readonly build: Build
  readonly say: Say
  /** How many programs the caller builds after these; default: none. */
  readonly after?: number
  /** Ends the wait for another process that builds. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Builds the programs of `names` that are not in `folder` yet. If another process builds there, it waits, says so, and
 * then uses the programs of that process. If that process is killed, it builds what is still missing.
 */
export async function buildMissing(folder: string, names: readonly string[], builder: Builder): Promise<void> {
  await mkdir(folder, { recursive: true })
  await removeAbandoned(folder)
  const missing = await missingIn(folder, names)
  if (missing.length === 0) return
  const { say, signal } = builder
  const onWait = () => say(`another process builds ${missing.join(', ')}: waiting for it`)
  const waiting = `waiting for the other process, which builds ${missing.join(', ')}`
  const release = await patiently(waiting, say, lock(folder, { onWait, signal }))
  try {
    await buildAll(folder, names, builder)
  } finally {
    await release()
  }
}

/** Those of `names` that are not in `folder`. */
export async function missingIn(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = []
  for (const name of names) if (!(await exists(join(folder, name)))) missing.push(name)
  return missing
}

/**
 * Builds each program under a unique name and then renames the file. So no process sees an incomplete program, also if
 * a process on another machine, which does not see our lock, builds in the same folder.
 */
async function buildAll(folder: string, names: readonly string[], builder: Builder): Promise<void> {
  const { build, say, after = 0 } = builder
  const missing = await missingIn(folder, names)
  for (const [place, name] of missing.entries()) {
    const target = join(folder, name)
    if (await exists(target)) continue // another machine has built it meanwhile
    say(`building ${name}, ${missing.length - place - 1 + after} more after it`)
    const startedAt = performance.now()
    const unfinished = join(folder, `${name}.${randomUUID()}.unfinished`)
    try {
      await patiently(`building ${name}`, say, build(name, unfinished))
      if (!(await exists(target))) await rename(unfinished, target)
    } finally {
      await rm(unfinished, { force: true })
    }
    say(`built ${name} in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
}

/** Removes what a killed build left behind. The file of a build in progress is younger. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.unfinished')) continue
    const path = join(folder, file)
    // that build has just finished
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true })
  }
}

/** Whether `output` of a version command contains exactly `version`: v1.36.3 does not match v1.36.30. */
export const hasVersion = (output: string, version: string): boolean =>
  output.split(/[\s,]+/).some((word) => word.replace(/^v/, '') === version.replace(/^v/, ''))

/** The folder whose go.mod pins the program. */
const pinnedBy = (name: BinaryName): ModuleFolder =>
  TOOLS[name].module === KUBERNETES ? MODULES.kubernetes : MODULES.controlPlane

async function provided(name: BinaryName, assets: string): Promise<string | undefined> {
  const path = join(assets, name)
  const answer = await run(path, TOOLS[name].ask).catch(() => undefined) // if it cannot run, it is built
  return answer?.code === 0 && hasVersion(answer.stdout, pinsOf(pinnedBy(name)).versionOf(TOOLS[name].module))
    ? path
    : undefined
}

/** The programs in `$KUBEBUILDER_ASSETS` that have the pinned version. */
async function providedPrograms(): Promise<Partial<Record<BinaryName, string>>> {
  const found: Partial<Record<BinaryName, string>> = {}
  if (env.KUBEBUILDER_ASSETS)
    for (const name of BINARY_NAMES) {
      const path = await provided(name, env.KUBEBUILDER_ASSETS)
      if (path) found[name] = path
    }
  return found
}

/** Programs of the control plane, and the module that pins them. */
interface Pinned {
  readonly module: ModuleFolder
  readonly names: readonly BinaryName[]
}

/** The programs of the control plane that have to be in the cache: `$KUBEBUILDER_ASSETS` does not have them. */
export const toBuild = async (): Promise<readonly Pinned[]> => pinnedWithout(await providedPrograms())

const pinnedWithout = (found: Partial<Record<BinaryName, string>>): readonly Pinned[] =>
  [...new Set(BINARY_NAMES.map(pinnedBy))].map((module) => ({
    module,
    names: BINARY_NAMES.filter((name) => pinnedBy(name) === module && !found[name]),
  }))

/** The path of kubectl alone, which is built without the rest. @throws the errors of the builder */
export async function findKubectl(builderFor: (module: ModuleFolder) => Builder): Promise<string> {
  const found = env.KUBEBUILDER_ASSETS ? await provided('kubectl', env.KUBEBUILDER_ASSETS) : undefined
  if (found !== undefined) return found
  const folder = join(await cacheOf(MODULES.kubernetes), 'bin')
  await buildMissing(folder, ['kubectl'], builderFor(MODULES.kubernetes))
  return join(folder, 'kubectl')
}

/**
 * The paths of all programs: those in `$KUBEBUILDER_ASSETS` if they have the pinned version, otherwise those in the
 * cache of the module that pins them. Missing programs are built there.
 * @throws the errors of the builder
 */
export async function findBinaries(builderFor: (module: ModuleFolder) => Builder): Promise<Binaries> {
  const found = await providedPrograms()
  for (const { module, names } of pinnedWithout(found)) {
    const folder = join(await cacheOf(module), 'bin')
    await buildMissing(folder, names, builderFor(module))
    for (const name of names) found[name] = join(folder, name)
  }
  return found as Binaries
}
