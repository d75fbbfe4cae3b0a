import type { KubeObject } from '../../api/object.ts'
import type { Reference, Source, WorkloadKind } from '../../workload/kind.ts'
import type { KubeClient } from '../client/client.ts'
import { resourcePath } from '../client/resources.ts'
import { asObject, orUndefined, wholeItems } from './object.ts'

/** Reads a source and the objects that its template may be in. Undefined if it does not exist. @throws KubeError */
export async function fetchSource(
  client: Pick<KubeClient, 'request'>,
  kind: WorkloadKind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Source | undefined> {
  const path = resourcePath(kind, { namespace, name })
  const source = await orUndefined(client.request({ verb: 'get', path, expects: kind.kind }))
  if (!source) return undefined
  const found = await Promise.all(kind.references(source).map((each) => referents(client, namespace, each)))
  return { object: source, referents: found.flat() }
}

async function referents(
  client: Pick<KubeClient, 'request'>,
  namespace: string,
  reference: Reference,
): Promise<readonly KubeObject[]> {
  const { resource, name, labelSelector } = reference
  if (name !== undefined) {
    const found = await orUndefined(client.request({ verb: 'get', path: resourcePath(resource, { namespace, name }) }))
    return found ? [found] : []
  }
  const list = await client.request({
    verb: 'list',
    path: resourcePath(resource, { namespace }),
    query: { labelSelector },
  })
  return wholeItems(list).map(asObject)
}
