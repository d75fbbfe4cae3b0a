import type { KubeObject, ResourceType } from '../../api/object.ts'
import { isObject, listOr, member } from '../../json/json.ts'
import { autoscalerView, budgetView, type Neighbours, networkPolicyView } from '../../surroundings/neighbours.ts'
import type { KubeClient } from '../client/client.ts'
import { KubeError } from '../client/errors.ts'
import { RESOURCES, resourcePath } from '../client/resources.ts'

/** Failures that last, and count as an empty list: no right to list the objects, or no such kind. */
const EMPTY_UPON: ReadonlySet<string> = new Set(['forbidden', 'kindAbsent', 'notFound'])

/**
 * The autoscalers, disruption budgets and network policies of `namespace`. A kind that may not be read or does not
 * exist counts as empty. Undefined if the API server cannot be asked now.
 */
export async function neighboursIn(
  client: Pick<KubeClient, 'request'>,
  namespace: string,
  deadlineMs: number,
): Promise<Neighbours | undefined> {
  /** The views of all objects of a kind. Items of a list have no `kind` and `apiVersion`, but no view reads those. */
  const list = async <View>(resource: ResourceType, view: (object: KubeObject) => View): Promise<readonly View[]> => {
    try {
      const path = resourcePath(resource, { namespace })
      // resourceVersion 0 reads the API server's cache, not etcd: enough, for they decide only the size of a preview
      const found = await client.request({ verb: 'list', path, query: { resourceVersion: '0' }, deadlineMs })
      return listOr(member(found, 'items')).filter(isNamed).map(view)
    } catch (error) {
      if (error instanceof KubeError && EMPTY_UPON.has(error.kind)) return []
      throw error
    }
  }
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

const isNamed = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.name === 'string'
