/** The npm package of the plugin: its bundle, and two small programs that start it. */
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VERSION } from '../common/program/version.ts'
import { bundle } from './bundle.ts'

const MAIN = join(import.meta.dirname, '../cli/main.ts')

/** The oldest Node that can run the bundle. */
const NODE = 24

/** An old Node must be able to read this file, so it has no word that is younger than ES5, but for `import`. */
const START = `#!/usr/bin/env node
var version = process.versions.node
if (parseInt(version, 10) < ${NODE}) {
  console.error('kubectl-experiment needs Node ${NODE} or newer, and this is Node ' + version + '.')
  process.exitCode = 1
} else import('../lib/main.mjs')
`

const COMPLETE = `#!/usr/bin/env node
process.argv.splice(2, 0, '__complete')
require('./kubectl-experiment.cjs')
`

const BINS = { 'kubectl-experiment': START, 'kubectl_complete-experiment': COMPLETE } as const

/** Writes the npm package into `folder`. @returns the paths of the written programs */
export async function npmPackage(folder: string): Promise<readonly string[]> {
  await bundle({ main: MAIN }, join(folder, 'lib'), { isSplit: true, isOfPlugin: true })
  await mkdir(join(folder, 'bin'), { recursive: true })
  const paths = await Promise.all(
    Object.entries(BINS).map(async ([name, content]) => {
      const path = join(folder, 'bin', `${name}.cjs`)
      await writeFile(path, content)
      await chmod(path, 0o755)
      return path
    }),
  )
  await copyFile(join(import.meta.dirname, '../LICENSE'), join(folder, 'LICENSE'))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  return paths
}

const manifest = () => ({
  name: 'kubectl-experiment',
  version: VERSION,
  description: 'Watch and steer experiments of the Experiment Deployment Controller',
  license: 'Apache-2.0',
  bin: Object.fromEntries(Object.keys(BINS).map((name) => [name, `bin/${name}.cjs`])),
  files: ['bin', 'lib'],
  engines: { node: `>=${NODE}` },
})
