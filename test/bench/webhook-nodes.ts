import { realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { env, execPath } from 'node:process'
import { run } from '../../sandbox/run.ts'

/** A Node of this machine. */
export interface Node {
  readonly path: string
  /** `v20.20.2` */
  readonly version: string
}

/** The running Node, and every Node on the PATH with another version. */
export async function nodes(): Promise<readonly Node[]> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const paths = await Promise.all(folders.map((folder) => realpath(join(folder, 'node')).catch(() => execPath)))
  const found = new Map([[process.version, execPath]])
  for (const path of new Set(paths)) {
    const { code, stdout } = await run(path, ['--version'])
    const version = stdout.trim()
    if (code === 0 && !found.has(version)) found.set(version, path)
  }
  return [...found].map(([version, path]) => ({ version, path }))
}
