/** The scripts of `package.json`, which people run with `npm run`. */
import { readFileSync } from 'node:fs'
import { run } from '../sandbox/run.ts'

/** Their commands, by name. */
export const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(readFileSync('package.json', 'utf8')).scripts

/** The output and the exit code of a script, run by this Node without a terminal. */
export async function runScript(script: string, ...args: readonly string[]) {
  const [program = '', ...rest] = (SCRIPTS[script] ?? '').replace(/^node /, `${process.execPath} `).split(' ')
  const { code, stdout, stderr } = await run(program, [...rest, ...args])
  return { code, said: `${stdout}${stderr}` }
}
