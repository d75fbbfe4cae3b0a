import type { NamespaceView } from '../../policy/policy.ts'
import type { KubeClient } from '../client/client.ts'
import { RESOURCES, resourcePath } from '../client/resources.ts'
import { orUndefined } from './object.ts'

/** The label that the API server gives every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

/**
 * Reads the labels of a namespace, which policies select by. An absent namespace has only the label of its name.
 * @throws KubeError other than `notFound`
 */
export async function readNamespace(
  client: Pick<KubeClient, 'request'>,
  name: string,
  deadlineMs: number,
): Promise<{ readonly view: NamespaceView; readonly isThere: boolean }> {
  const path = resourcePath(RESOURCES.Namespace, { name })
  const found = await orUndefined(client.request({ verb: 'get', path, expects: 'Namespace', deadlineMs }))
  const labels = found ? (found.metadata.labels ?? {}) : { [NAME_LABEL]: name }
  return { view: { name, labels }, isThere: found !== undefined }
}
