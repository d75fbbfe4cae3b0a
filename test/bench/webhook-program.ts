import { join } from 'node:path'
import { run } from '../../sandbox/run.ts'

/** The path of a program of this folder, such as `webhook-load`. */
export const program = (name: string): string => join(import.meta.dirname, `${name}.ts`)

/** The JSON that `command` prints. @throws Error with its error output */
export async function printed<T>([command = '', ...args]: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await run(command, args)
  if (code !== 0) throw new Error(`${args.join(' ')} failed: ${stderr.trim()}`)
  return JSON.parse(stdout)
}
