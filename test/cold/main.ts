/** `npm run test:cold [-- demo | test]`: whether the README's commands succeed on a machine without caches. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { commandLine } from '../../sandbox/command-line.ts'
import { run } from '../../sandbox/run.ts'
import { stopSignal } from '../../sandbox/stop-signal.ts'
import { type Line, stumblingBlocks } from './watched.ts'

const ROOT = join(import.meta.dirname, '../..')
const COMMANDS: Readonly<Record<string, string>> = {
  demo: 'npm ci && npm run demo -- --exit',
  test: 'npm ci && npm test',
}

const USAGE = `npm run test:cold [-- demo | test]

Runs both commands of the README, or one of them, each in a fresh clone of HEAD and without any cache. This downloads and
builds everything again, which takes up to an hour. Fails if a command fails, is silent for two minutes, prints a warning
of Node, or prints a total that looks like the end before its end.

  --help`

const { positionals, refuse } = commandLine(USAGE, { allowPositionals: true })
const unknown = positionals.find((name) => !Object.hasOwn(COMMANDS, name))
if (unknown !== undefined) refuse(`there is no ${unknown}`)
const stopping = stopSignal()

/** What npm tells the scripts that it runs, and not the user. The clone needs its own. */
const OF_NPM = /^(npm_(command|execpath|lifecycle|node_execpath|package)|npm_config_(local_|global_)?prefix$|INIT_CWD$)/

/** The environment of a user whose folders below `folder` are empty, with the configuration of the real user. */
async function coldEnvironment(folder: string): Promise<NodeJS.ProcessEnv> {
  const theirs = Object.entries(process.env).filter(([name]) => !OF_NPM.test(name))
  const path = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.split(sep).includes('node_modules'))
  const { KUBEBUILDER_ASSETS: _, NODE_COMPILE_CACHE: __, ...kept } = Object.fromEntries(theirs)
  return {
    npm_config_userconfig: join(homedir(), '.npmrc'),
    ...kept,
    PATH: path.join(delimiter),
    GOENV: (await run('go', ['env', 'GOENV'])).stdout.trim(),
    HOME: join(folder, 'home'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    GOCACHE: join(folder, 'go-build'),
    GOMODCACHE: join(folder, 'go-modules'),
    npm_config_cache: join(folder, 'npm'),
  }
}

/** Runs `command` in a fresh clone, prints what it prints, and returns what is wrong. */
async function ran(command: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cold-'))
  const env = await coldEnvironment(folder)
  try {
    const checkout = join(folder, 'checkout')
    mkdirSync(join(folder, 'home'))
    const { stdout: head } = await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT })
    for (const args of [
      ['clone', '--quiet', '--no-checkout', ROOT, checkout],
      ['-C', checkout, 'checkout', '--quiet', '--detach', head.trim()],
    ]) {
      const { code, stderr } = await run('git', args)
      if (code !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`)
    }
    console.log(`\n$ ${command}`)
    return await watched(command, checkout, env)
  } finally {
    await run('go', ['clean', '-modcache'], { cwd: folder, env }) // its files are read-only
    rmSync(folder, { recursive: true, force: true })
  }
}

async function watched(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const startedAt = performance.now()
  const elapsedMs = () => performance.now() - startedAt
  const child = spawn('sh', ['-c', `{ ${command}; } 2>&1`], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: Line[] = []
  createInterface(child.stdout).on('line', (text) => {
    lines.push({ atMs: elapsedMs(), text })
    console.log(text)
  })
  const [code] = await once(child, 'close')
  console.log(`\n${command}: ended with code ${code} after ${(elapsedMs() / 60_000).toFixed(1)} min`)
  return [...(code === 0 ? [] : [`it ended with code ${code}`]), ...stumblingBlocks(lines, elapsedMs())]
}

const summary: string[] = []
for (const [name, command] of Object.entries(COMMANDS)) {
  if (stopping.aborted || (positionals.length > 0 && !positionals.includes(name))) continue
  const startedAt = performance.now()
  const wrong = await ran(command)
  const minutes = `${((performance.now() - startedAt) / 60_000).toFixed(1)} min`
  summary.push(
    `${command}: ${wrong.length === 0 ? 'fine' : 'NOT fine'}, in ${minutes}`,
    ...wrong.map((why) => `  ${why}`),
  )
  if (wrong.length > 0) process.exitCode = 1
}
console.log(`\n${summary.join('\n')}`)
