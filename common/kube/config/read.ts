import { readFileSync } from 'node:fs'
import { at } from '../../json/json.ts'
import { decodeKubeconfig } from './decode.ts'
import { KubeconfigError } from './found.ts'
import { type Kubeconfig, merged } from './kubeconfig.ts'

/** The kubeconfigs at these paths as one; those that do not exist are skipped. */
interface ReadKubeconfigs {
  readonly kubeconfig: Kubeconfig
  /** the paths at which there was a file */
  readonly files: readonly string[]
}

/** @throws KubeconfigError if one that exists cannot be read, or is no kubeconfig */
export function readKubeconfigs(paths: readonly string[]): ReadKubeconfigs {
  const found = paths
    .filter((path) => path !== '')
    .flatMap((path) => {
      const text = textOf(path)
      return text === undefined ? [] : [{ path, kubeconfig: decodeKubeconfig(text, path) }]
    })
  return { kubeconfig: merged(found.map(({ kubeconfig }) => kubeconfig)), files: found.map(({ path }) => path) }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (at(error, 'code') === 'ENOENT') return undefined
    throw unreadable(`the kubeconfig ${path}`, error)
  }
}

/** The text of a file that a kubeconfig names in the field `place`. @throws KubeconfigError */
export function fileIn(place: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unreadable(`${place}: ${path}`, error)
  }
}

const unreadable = (what: string, cause: unknown): KubeconfigError =>
  new KubeconfigError(`${what} cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause })
