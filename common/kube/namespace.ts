import { at, objectOr } from '../api/object.ts'
import type { NamespaceView } from '../api/policy.ts'
import type { KubeClient } from './client.ts'
import { KubeError } from './errors.ts'
import { pathOf, RESOURCES } from './resources.ts'

/** The label that the API server gives every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

export interface NamespaceRead {
  readonly view: NamespaceView
  readonly isThere: boolean
}

/**
 * Namespace `name` as policies see it. One that is not there has the label of its name alone.
 * @throws KubeError other than `notFound`
 */
export async function readNamespace(
  client: Pick<KubeClient, 'request'>,
  name: string,
  deadlineMs: number,
): Promise<NamespaceRead> {
  try {
    const path = pathOf(RESOURCES.Namespace, { name })
    const found = await client.request({ verb: 'get', path, expects: 'Namespace', deadlineMs })
    const labels = Object.entries(objectOr(at(found, 'metadata', 'labels'))).map(([key, value]) => [key, `${value}`])
    return { view: { name, labels: Object.fromEntries(labels) }, isThere: true }
  } catch (error) {
    if (!(error instanceof KubeError && error.kind === 'notFound')) throw error
    return { view: { name, labels: { [NAME_LABEL]: name } }, isThere: false }
  }
}
