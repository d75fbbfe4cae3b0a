import { isDnsLabel } from '../../common/api/metadata-syntax.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { readNamespace } from '../../common/kube/reads/namespace.ts'
import type { NamedNamespace } from '../../common/policy/named-namespaces.ts'
import { isOutside } from '../../common/policy/policy.ts'
import { DECISIVE_MS, type Reader } from './reader.ts'

/**
 * Those of `named` that do not exist. A namespace that cannot be read may exist. An installation for the namespace
 * `onlyNamespace` may read no other namespace, so nothing is asked about the others. Does not throw a KubeError.
 */
export async function missingNamespaces(
  kube: Reader,
  named: readonly NamedNamespace[],
  onlyNamespace: string | undefined,
) {
  const isMissing = await Promise.all(
    named.map(async ({ name }) => {
      try {
        return isReadable(name, onlyNamespace) && !(await readNamespace(kube, name, DECISIVE_MS)).isThere
      } catch (error) {
        if (error instanceof KubeError) return false
        throw error
      }
    }),
  )
  return named.filter((_, index) => isMissing[index])
}

const isReadable = (name: string, onlyNamespace: string | undefined) =>
  isDnsLabel(name) && !isOutside(name, onlyNamespace)
