/** `npm run release -- --out DIR --image NAME`: writes every file of a release. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parse, stringify } from 'yaml'
import { VERSION } from '../common/program/version.ts'
import { CHART } from '../manifests/chart/files.ts'
import { commandLine } from '../sandbox/command-line.ts'
import { preparedKubectl } from '../sandbox/prepare.ts'
import { bundle } from './bundle.ts'
import { done, MACHINES, type Machine, nodeProgram } from './node-programs.ts'
import { npmPackage } from './npm.ts'

const ROOT = join(import.meta.dirname, '..')

const USAGE = `npm run release -- --out DIR --image NAME

Writes every file of a release into DIR, which must be empty or not there. Two runs at one commit write the same bytes.

  --out DIR      the folder
  --image NAME   the image of both programs in your registry, without a tag: registry.example/experiments
  --help`

const { values, refuse } = commandLine(USAGE, { options: { out: { type: 'string' }, image: { type: 'string' } } })
const { out = refuse('--out is missing'), image = refuse('--image is missing') } = values
if (/[@\s]|:[^/]*$/.test(image)) refuse(`--image must be a name without tag and digest, found ${JSON.stringify(image)}`)
const folder = resolve(out)
/** Everything is made here first, so that a failed release leaves nothing behind. */
const work = await mkdtemp(join(tmpdir(), 'release-'))

const say = (line: string): void => console.error(line)

/** @throws Error that says what is not ready for a release */
async function check(): Promise<void> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${out} has files: name another folder, or empty this one`)
  const changed = (await done('git', ['status', '--porcelain'], ROOT)).trim()
  if (changed !== '') throw new Error(`these files are not committed: commit or remove them\n${changed}`)
  if (!new RegExp(`^## ${RegExp.escape(VERSION)}(?: |$)`, 'm').test(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')))
    throw new Error(`CHANGELOG.md has no section "## ${VERSION}": write what is new`)
  const { version }: { version?: unknown } = parse(readFileSync(join(ROOT, 'charts', CHART, 'Chart.yaml'), 'utf8'))
  if (version !== VERSION) throw new Error(`the chart is of version ${version}, not ${VERSION}: npm run generate`)
}

/** A folder as an archive that has the same bytes each time: sorted, with the time of the commit, and no owner. */
async function archive(file: string, from: string, names: readonly string[]): Promise<void> {
  const time = (await done('git', ['log', '-1', '--format=%ct'], ROOT)).trim()
  const same = [
    '--sort=name',
    `--mtime=@${time}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u+rwX,go+rX,go-w',
  ]
  const tar = join(work, 'archive.tar')
  await done('tar', ['--format=gnu', ...same, '-cf', tar, '-C', from, ...names])
  await done('gzip', ['--no-name', '--best', tar])
  await copyFile(`${tar}.gz`, join(work, 'out', file))
  await rm(`${tar}.gz`)
}

/** What kustomize builds of a folder. */
async function kustomized(kubectl: string, from: string): Promise<string> {
  return done(kubectl, ['kustomize', from], ROOT)
}

async function manifests(): Promise<void> {
  const kubectl = await preparedKubectl(say)
  const overlay = join(work, 'overlay')
  await cp(join(ROOT, 'manifests'), join(work, 'manifests'), { recursive: true })
  await cp(join(ROOT, 'crds'), join(work, 'crds'), { recursive: true })
  await mkdir(overlay)
  const images = [{ name: CHART, newName: image, newTag: VERSION }]
  await writeFile(join(overlay, 'kustomization.yaml'), stringify({ resources: ['../manifests/default'], images }))
  await writeFile(join(work, 'out/install.yaml'), await kustomized(kubectl, overlay))
  await writeFile(join(work, 'out/crds.yaml'), await kustomized(kubectl, join(work, 'crds')))
}

interface ExecutableOf {
  /** the bundle */
  readonly main: string
  readonly node: Awaited<ReturnType<typeof nodeProgram>>
  /** a program of Node that runs here */
  readonly builder: string
}

/** `kubectl-experiment-0.1.0-linux-amd64.tar.gz`: a program with its own Node, for kubectl on the PATH. */
async function executable(machine: Machine, { main, node, builder }: ExecutableOf): Promise<void> {
  const from = join(work, machine)
  await mkdir(from)
  const config = {
    main: basename(main), // the path is in the program, and must be the same each time
    mainFormat: 'module',
    executable: node.program,
    output: join(from, 'kubectl-experiment'),
    disableExperimentalSEAWarning: true,
  }
  await writeFile(join(work, `${machine}.json`), JSON.stringify(config))
  await done(builder, ['--build-sea', join(work, `${machine}.json`)], dirname(main))
  await copyFile(join(ROOT, 'LICENSE'), join(from, 'LICENSE'))
  await copyFile(node.license, join(from, 'LICENSE.node'))
  await copyFile(`${main}.LEGAL.txt`, join(from, 'LICENSES.libraries'))
  await writeFile(join(from, 'kubectl_complete-experiment'), COMPLETE)
  await chmod(join(from, 'kubectl_complete-experiment'), 0o755)
  await archive(`kubectl-experiment-${VERSION}-linux-${machine}.tar.gz`, from, readdirSync(from).sort())
}

const COMPLETE = `#!/bin/sh
exec kubectl-experiment __complete "$@"
`

/** The machine that this is. @throws Error if no executable can be built on it */
function here(): Machine {
  if (process.platform === 'linux' && process.arch === 'x64') return 'amd64'
  if (process.platform === 'linux' && process.arch === 'arm64') return 'arm64'
  throw new Error(`executables are built on Linux, and this is ${process.platform} on ${process.arch}`)
}

async function plugin(): Promise<void> {
  const npm = join(work, 'package')
  await npmPackage(npm)
  await archive(`kubectl-experiment-${VERSION}.tgz`, work, ['package'])
  const any = join(work, 'any')
  await mkdir(any)
  await cp(npm, join(any, 'kubectl-experiment'), { recursive: true })
  await archive(`kubectl-experiment-${VERSION}-any.tar.gz`, any, ['kubectl-experiment'])
  const single = join(work, 'single')
  await bundle({ main: join(ROOT, 'cli/main.ts') }, single, { isOfPlugin: true })
  const nodeFor = (machine: Machine) => nodeProgram(machine, join(work, `node-${machine}`))
  const nodes = { amd64: await nodeFor('amd64'), arm64: await nodeFor('arm64') }
  const builder = nodes[here()].program
  for (const machine of MACHINES) {
    say(`building the executable for ${machine}`)
    await executable(machine, { main: join(single, 'main.mjs'), node: nodes[machine], builder })
  }
}

/** `SHA256SUMS`, which `sha256sum --check` reads. */
async function sums(): Promise<void> {
  const names = readdirSync(join(work, 'out')).sort()
  const lines = await Promise.all(
    names.map(async (name) => {
      const hash = createHash('sha256').update(await readFile(join(work, 'out', name)))
      return `${hash.digest('hex')}  ${name}\n`
    }),
  )
  await writeFile(join(work, 'out/SHA256SUMS'), lines.join(''))
}

try {
  await check()
  await mkdir(join(work, 'out'))
  say('building the manifests')
  await manifests()
  await archive(`${CHART}-${VERSION}.tgz`, join(ROOT, 'charts'), [CHART])
  await bundle({ certs: join(ROOT, 'certs/main.ts') }, join(work, 'certs'))
  for (const name of readdirSync(join(work, 'certs')))
    await copyFile(join(work, 'certs', name), join(work, 'out', name))
  say('building the plugin')
  await plugin()
  await sums()
  await cp(join(work, 'out'), folder, { recursive: true })
  for (const name of readdirSync(folder).sort()) console.log(join(out, basename(name)))
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  await rm(work, { recursive: true, force: true })
}
