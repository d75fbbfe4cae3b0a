import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The folders of our Go modules, of which each has a cache of its own: the control plane; Argo Rollouts, which wants
 * another Kubernetes; cert-manager, of which only files are taken. Every version that the sandbox uses is read from
 * their go.mod, and written nowhere else.
 */
export const MODULES = {
  controlPlane: import.meta.dirname,
  argo: join(import.meta.dirname, 'argo'),
  certManager: join(import.meta.dirname, 'cert-manager'),
} as const

/** The folder of one of our Go modules. */
export type ModuleFolder = (typeof MODULES)[keyof typeof MODULES]

/** What a go.mod pins. */
export interface Pins {
  /** The least Go that builds it, as in "1.26.0". */
  readonly go: string
  /** @throws Error for a module that go.mod does not name. */
  readonly versionOf: (module: string) => string
}

/** What the go.mod in `folder` pins. */
export const pinsOf = (folder: ModuleFolder): Pins => readPins(readFileSync(join(folder, 'go.mod'), 'utf8'))

/** Reads `go` and `require` lines of a go.mod, alone or in blocks. `replace` lines do not name what is built here. */
export function readPins(goMod: string): Pins {
  const go = /^go (\S+)$/m.exec(goMod)?.[1]
  if (!go) throw new Error('go.mod has no line "go VERSION"')
  const versions = new Map(
    [...goMod.matchAll(/^(?:require)?\s+(\S+) (v\S+)/gm)].map(([, module = '', version = '']) => [module, version]),
  )
  const versionOf = (module: string): string => {
    const version = versions.get(module)
    if (!version) throw new Error(`go.mod requires no ${module}; add it with \`go get\` in the folder of that go.mod`)
    return version
  }
  return { go, versionOf }
}
