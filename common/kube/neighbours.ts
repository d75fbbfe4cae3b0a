import { isObject, type KubeObject, listOr, member } from '../api/object.ts'
import type { ResourceType } from '../api/resource.ts'
import { autoscalerView, budgetView, type Neighbours, networkPolicyView } from '../workload/neighbours.ts'
import type { KubeClient } from './client.ts'
import { KubeError } from './errors.ts'
import { pathOf, RESOURCES } from './resources.ts'

/** What makes a list of them empty for us, and stays so: no right to see them, or no such kind here. */
const NOBODY: ReadonlySet<string> = new Set(['forbidden', 'kindAbsent', 'notFound'])

/**
 * Who else acts on pods of `namespace`; undefined where the API server could not tell now. What may not be read, or does
 * not exist, is nobody.
 */
export async function neighboursIn(
  client: Pick<KubeClient, 'request'>,
  namespace: string,
  deadlineMs: number,
): Promise<Neighbours | undefined> {
  const list = <View>(resource: ResourceType, view: (object: KubeObject) => View) =>
    listed(client, { path: pathOf(resource, { namespace }), deadlineMs, view })
  try {
    const [autoscalers, budgets, networkPolicies] = await Promise.all([
      list(RESOURCES.HorizontalPodAutoscaler, autoscalerView),
      list(RESOURCES.PodDisruptionBudget, budgetView),
      list(RESOURCES.NetworkPolicy, networkPolicyView),
    ])
    return { autoscalers, budgets, networkPolicies }
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}

interface Listing<View> {
  readonly path: string
  readonly deadlineMs: number
  readonly view: (object: KubeObject) => View
}

async function listed<View>(
  client: Pick<KubeClient, 'request'>,
  { path, deadlineMs, view }: Listing<View>,
): Promise<readonly View[]> {
  try {
    // nothing is decided by them: one from the API server's memory will do, and costs etcd nothing
    const list = await client.request({ verb: 'list', path, query: { resourceVersion: '0' }, deadlineMs })
    return listOr(member(list, 'items')).filter(isNamed).map(view)
  } catch (error) {
    if (error instanceof KubeError && NOBODY.has(error.kind)) return []
    throw error
  }
}

/** Items of a list lack `kind` and `apiVersion`; no view reads those. */
const isNamed = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.name === 'string'
