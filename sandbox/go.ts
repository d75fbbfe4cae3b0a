import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { MODULES, type ModuleFolder, pinsOf } from './pins.ts'
import { run } from './run.ts'

/** For every `go` command: the toolchain that is there, our modules as they are pinned. */
export const GO_ENV: NodeJS.ProcessEnv = {
  ...env,
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly -buildvcs=false',
}

const numbers = (version: string): readonly number[] => (version.match(/\d+/g) ?? []).map(Number)

/** Whether version `found` is at least `least`: "1.26.8" is newer than "1.26". */
export function isAtLeast(found: string, least: string): boolean {
  const [have, want] = [numbers(found), numbers(least)]
  const differs = want.findIndex((number, place) => number !== (have[place] ?? 0))
  return differs === -1 || (have[differs] ?? 0) > (want[differs] ?? 0)
}

/**
 * Version, operating system and architecture of the installed Go: "go1.26.8 linux amd64".
 * @throws Error that says how to get Go, when there is none or it is too old.
 */
export async function installedGo(least = pinsOf(MODULES.controlPlane).go): Promise<string> {
  const remedy = `Go ${least} or newer builds it: install it from https://go.dev/dl/ and put its bin folder on PATH`
  // asked outside of our module, where an old Go would refuse to say anything
  const { code, stdout, stderr } = await run('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], {
    cwd: tmpdir(),
    env: GO_ENV,
  }).catch((error: unknown) => {
    throw new Error(`no \`go\` command was found. ${remedy}.`, { cause: error })
  })
  if (code !== 0) throw new Error(`\`go env\` failed: ${stderr.trim()}. ${remedy}.`)
  const found = stdout.trim().split('\n')
  if (!isAtLeast(found[0] ?? '', least)) throw new Error(`found ${found[0]}, which is too old. ${remedy}.`)
  return found.join(' ')
}

/**
 * The folder for all that is built or taken from one of our modules, outside of the checkout. Whatever it depends on
 * is in its name, so that nothing in it ever grows stale.
 * @throws Error that says how to get Go, when there is none or the module wants a newer one.
 */
export async function cacheOf(module: ModuleFolder): Promise<string> {
  const go = await installedGo(pinsOf(module).go)
  const key = createHash('sha256')
  for (const file of ['go.mod', 'go.sum']) key.update(readFileSync(join(module, file)))
  return join(cacheHome(), key.update(go).digest('hex').slice(0, 16))
}

/** The user's folder for what we build or download once. */
export function cacheHome(): string {
  const base = env.XDG_CACHE_HOME || join(homedir(), '.cache') // empty counts as unset, says the XDG specification
  return join(base, 'experiment-deployment-controller')
}
