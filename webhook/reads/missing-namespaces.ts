import { isDnsLabel } from '../../common/api/metadata-syntax.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { readNamespace } from '../../common/kube/reads/namespace.ts'
import type { NamedNamespace } from '../../common/policy/named-namespaces.ts'
import { DECISIVE_MS, type Reader } from './reader.ts'

/** Those of `named` that do not exist. One that cannot be read, or not here, may exist. Does not throw a KubeError. */
export async function missingNamespaces(kube: Reader, named: readonly NamedNamespace[]) {
  const isMissing = await Promise.all(
    named.map(async ({ name }) => {
      try {
        return isDnsLabel(name) && !(await readNamespace(kube, name, DECISIVE_MS)).isThere
      } catch (error) {
        if (error instanceof KubeError) return false
        throw error
      }
    }),
  )
  return named.filter((_, index) => isMissing[index])
}
