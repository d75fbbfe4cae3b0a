import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'

/** The versions of Kubernetes that the sandbox can run: the pinned one, and the oldest that the product supports. */
const KUBERNETES = { newest: import.meta.dirname, oldest: join(import.meta.dirname, 'oldest') } as const

/**
 * The folder whose go.mod pins the chosen version of Kubernetes.
 * @throws Error if there is no such choice
 */
export function kubernetesFolder(choice = 'newest'): string {
  if (choice !== 'newest' && choice !== 'oldest')
    throw new Error(`KUBERNETES must be "newest" or "oldest", found "${choice}"`)
  return KUBERNETES[choice]
}

/**
 * The folders with a go.mod. Each has its own cache: the control plane, of which the programs of Kubernetes itself may
 * have another version, chosen by the environment variable `KUBERNETES`; Argo Rollouts, which needs another version of
 * Kubernetes; Prometheus, for its tool that tests alerts; Helm; the Lua of Argo CD; cert-manager and the Prometheus
 * Operator, of which only files are used. Every version that the sandbox uses is in one of these go.mod files and
 * nowhere else.
 */
export const MODULES = {
  controlPlane: import.meta.dirname,
  kubernetes: kubernetesFolder(env.KUBERNETES),
  argo: join(import.meta.dirname, 'argo'),
  certManager: join(import.meta.dirname, 'cert-manager'),
  prometheusOperator: join(import.meta.dirname, 'prometheus-operator'),
  prometheus: join(import.meta.dirname, 'prometheus'),
  helm: join(import.meta.dirname, 'helm'),
  lua: join(import.meta.dirname, 'lua'),
} as const

/** A folder with a go.mod. */
export type ModuleFolder = (typeof MODULES)[keyof typeof MODULES]

/** What a go.mod pins. */
interface Pins {
  /** The oldest Go that builds it, as in "1.26.0". */
  readonly go: string
  /** The version of a module. @throws Error if go.mod does not name the module */
  readonly versionOf: (module: string) => string
}

/** What the go.mod in `folder` pins. */
export const pinsOf = (folder: ModuleFolder): Pins => readPins(readFileSync(join(folder, 'go.mod'), 'utf8'))

/**
 * Reads the `go` and `require` lines of a go.mod, single or in blocks. `replace` lines name nothing that is built here.
 */
export function readPins(goMod: string): Pins {
  const go = /^go (\S+)$/m.exec(goMod)?.[1]
  if (!go) throw new Error('go.mod has no line "go VERSION"')
  const versions = new Map(
    [...goMod.matchAll(/^(?:require)?\s+(\S+) (v\S+)/gm)].map(([, module = '', version = '']) => [module, version]),
  )
  const versionOf = (module: string): string => {
    const version = versions.get(module)
    if (!version)
      throw new Error(`go.mod does not require ${module}; add it with \`go get\` in the folder of that go.mod`)
    return version
  }
  return { go, versionOf }
}
