import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'

/**
 * Fills `config` from a kubeconfig, or from several whose paths are separated as in `$KUBECONFIG`. They are merged as
 * kubectl merges them: of two entries with one name the first counts, as does the first current context, and a file
 * that does not exist is skipped. The library's own merge lets the last context win and refuses equal names.
 * @throws Error if none of them can be read
 */
export function loadKubeconfig(config: KubeConfig, paths: string): void {
  const [first = paths, ...others] = paths.split(delimiter).filter((path) => existsSync(path))
  config.loadFromFile(first)
  for (const path of others) {
    const other = new KubeConfig()
    other.loadFromFile(path)
    config.loadFromOptions({
      clusters: merged(config.clusters, other.clusters),
      users: merged(config.users, other.users),
      contexts: merged(config.contexts, other.contexts),
      currentContext: config.currentContext || other.currentContext,
    })
  }
}

function merged<T extends { readonly name: string }>(before: readonly T[], more: readonly T[]): readonly T[] {
  const names = new Set(before.map(({ name }) => name))
  return [...before, ...more.filter(({ name }) => !names.has(name))]
}
