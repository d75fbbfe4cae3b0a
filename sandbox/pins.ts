import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of our go.mod: every version the sandbox uses is read from there, and written nowhere else. */
export const MODULE_FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** What go.mod pins. */
export interface Pins {
  /** The least Go that builds it, as in "1.26.0". */
  readonly go: string
  /** @throws Error for a module that go.mod does not name. */
  readonly versionOf: (module: string) => string
}

/** Reads `go` and `require` lines of a go.mod, alone or in blocks. `replace` lines do not name what is built here. */
export function readPins(goMod = readFileSync(new URL('go.mod', import.meta.url), 'utf8')): Pins {
  const go = /^go (\S+)$/m.exec(goMod)?.[1]
  if (!go) throw new Error('sandbox/go.mod has no line "go VERSION"')
  const versions = new Map(
    [...goMod.matchAll(/^(?:require)?\s+(\S+) (v\S+)/gm)].map(([, module = '', version = '']) => [module, version]),
  )
  const versionOf = (module: string): string => {
    const version = versions.get(module)
    if (!version) throw new Error(`sandbox/go.mod requires no ${module}; add it with \`go get\` in sandbox/`)
    return version
  }
  return { go, versionOf }
}
