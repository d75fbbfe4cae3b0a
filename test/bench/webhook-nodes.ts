import { realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { env, execPath } from 'node:process'
import { run } from '../../sandbox/run.ts'

/** Another Node on the PATH. */
export interface OtherNode {
  readonly path: string
  /** `v20.20.2` */
  readonly version: string
}

/** Every Node on the PATH with another version than the running one. */
export async function otherNodes(): Promise<readonly OtherNode[]> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const paths = await Promise.all(folders.map((folder) => realpath(join(folder, 'node')).catch(() => execPath)))
  const found = new Map<string, string>()
  for (const path of new Set(paths)) {
    const { code, stdout } = await run(path, ['--version'])
    if (code === 0) found.set(stdout.trim(), path)
  }
  found.delete(process.version)
  return [...found].map(([version, path]) => ({ version, path }))
}
