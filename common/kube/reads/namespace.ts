import { at, objectOr } from '../../json/json.ts'
import type { NamespaceView } from '../../policy/policy.ts'
import type { KubeClient } from '../client/client.ts'
import { KubeError } from '../client/errors.ts'
import { pathOf, RESOURCES } from '../client/resources.ts'

/** The label that the API server gives every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

/** What was read of a namespace. */
export interface NamespaceRead {
  readonly view: NamespaceView
  readonly isThere: boolean
}

/**
 * Reads the labels of a namespace, which policies select by. A namespace that does not exist has only the label of its
 * name.
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
