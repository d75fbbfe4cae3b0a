/** The scripts of `package.json`, which people run with `npm run`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** Their commands, by name. */
export const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(readFileSync('package.json', 'utf8')).scripts

/** The output and the exit code of a script, run by this Node without a terminal. */
export async function runScript(script: string, ...args: readonly string[]) {
  const [program = '', ...rest] = (SCRIPTS[script] ?? '').replace(/^node /, `${process.execPath} `).split(' ')
  const child = spawn(program, [...rest, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, said: `${stdout}${stderr}` }
}
