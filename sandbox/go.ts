import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { MODULES, type ModuleFolder, pinsOf } from './pins.ts'
import { run } from './run.ts'

/** The environment of every `go` command: the installed toolchain, and the modules as they are pinned. */
export const GO_ENV: NodeJS.ProcessEnv = {
  ...env,
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly -buildvcs=false',
}

const numbers = (version: string): readonly number[] => (version.match(/\d+/g) ?? []).map(Number)

/** Whether version `found` is `least` or newer: "1.26.8" is newer than "1.26". */
export function isAtLeast(found: string, least: string): boolean {
  const [have, want] = [numbers(found), numbers(least)]
  const differs = want.findIndex((number, place) => number !== (have[place] ?? 0))
  return differs === -1 || (have[differs] ?? 0) > (want[differs] ?? 0)
}

/**
 * Version, operating system and architecture of the installed Go: "go1.26.8 linux amd64".
 * @throws Error that says how to get Go, if there is none or it is too old
 */
async function installedGo(least = pinsOf(MODULES.controlPlane).go): Promise<string> {
  const remedy = `This needs Go ${least} or newer: install it from https://go.dev/dl/ and add its bin folder to PATH`
  // outside of the module, because there an old Go refuses every command
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
 * The folder, outside of the checkout, for everything that is built or taken from one of the modules. Its name is a
 * hash of everything that its content depends on, so the content is never outdated.
 * @throws Error that says how to get Go, if there is none or the module needs a newer one
 */
export async function cacheOf(module: ModuleFolder): Promise<string> {
  const go = await installedGo(pinsOf(module).go)
  const key = createHash('sha256')
  for (const file of ['go.mod', 'go.sum']) key.update(readFileSync(join(module, file)))
  return join(cacheHome(), key.update(go).digest('hex').slice(0, 16))
}

/** The user's folder for programs and files that are built or downloaded once. */
export function cacheHome(): string {
  const base = env.XDG_CACHE_HOME || join(homedir(), '.cache') // the XDG specification says that empty means unset
  return join(base, 'experiment-deployment-controller')
}
