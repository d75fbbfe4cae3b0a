import { type KubeObject, listOr, member } from '../common/api/object.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { pathOf } from '../common/kube/resources.ts'
import type { Reference, WorkloadKind } from '../common/workload/kind.ts'
import { decoded, orAbsent } from './live.ts'
import type { SourceSeen } from './reconcile/observe.ts'

/** A source and what its template may be in, as they are now. @throws KubeError */
export async function fetchSource(
  client: KubeClient,
  kind: WorkloadKind,
  { metadata: { namespace = '', name } }: KubeObject,
): Promise<SourceSeen | undefined> {
  const path = pathOf(kind, { namespace, name })
  const source = await orAbsent(client.request({ verb: 'get', path, expects: kind.kind }))
  if (!source) return undefined
  const found = await Promise.all(kind.references(source).map((each) => referents(client, namespace, each)))
  return { source, referents: found.flat() }
}

async function referents(client: KubeClient, namespace: string, reference: Reference): Promise<readonly KubeObject[]> {
  const { resource, name, labelSelector } = reference
  if (name !== undefined) {
    const found = await orAbsent(client.request({ verb: 'get', path: pathOf(resource, { namespace, name }) }))
    return found ? [found] : []
  }
  const list = await client.request({ verb: 'list', path: pathOf(resource, { namespace }), query: { labelSelector } })
  return listOr(member(list, 'items')).map(decoded)
}
