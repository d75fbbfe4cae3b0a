import { type KubeObject, orUnread, partedByRead, type ResourceType, type UnreadView } from '../../api/object.ts'
import { isObject, listOr, member } from '../../json/json.ts'
import { autoscalerView, budgetView, type Neighbours, networkPolicyView } from '../../surroundings/neighbours.ts'
import type { KubeClient } from '../client/client.ts'
import { KubeError } from '../client/errors.ts'
import { RESOURCES, resourcePath } from '../client/resources.ts'

/** Failures that last, and count as an empty list: no right to list the objects, or no such kind. */
const EMPTY_UPON: ReadonlySet<string> = new Set(['forbidden', 'kindAbsent', 'notFound'])

/** The most objects of a kind in a namespace: a pass looks at each of them. */
const MAX_ITEMS = 1_000

/**
 * The autoscalers, disruption budgets and network policies of `namespace`. A kind that may not be read or does not
 * exist counts as empty. Undefined if the API server cannot be asked now, and if there are too many objects or they are
 * too long together. A single one that is too large is known by its name.
 */
export async function neighboursIn(
  client: Pick<KubeClient, 'request'>,
  namespace: string,
  deadlineMs: number,
): Promise<Neighbours | undefined> {
  /** The views of all objects of a kind. Items of a list have no `kind` and `apiVersion`, but no view reads those. */
  const list = async <View extends object>(
    resource: ResourceType,
    word: string,
    view: (object: KubeObject) => View | UnreadView,
  ) => {
    try {
      const path = resourcePath(resource, { namespace })
      // resourceVersion 0 reads the API server's cache, not etcd: enough, for they decide only the size of a preview
      const found = await client.request({ verb: 'list', path, query: { resourceVersion: '0' }, deadlineMs })
      const items = listOr(member(found, 'items'))
      if (items.length > MAX_ITEMS) throw new KubeError({ kind: 'invalid', message: `more than ${MAX_ITEMS} objects` })
      return { ...partedByRead<View>(items.filter(isNamed).map(orUnread(word, view))), isHidden: false }
    } catch (error) {
      if (error instanceof KubeError && EMPTY_UPON.has(error.kind))
        return { ...NOTHING, isHidden: error.kind === 'forbidden' }
      throw error
    }
  }
  try {
    const [autoscalers, budgets, networkPolicies] = await Promise.all([
      list(RESOURCES.HorizontalPodAutoscaler, 'hpa', autoscalerView),
      list(RESOURCES.PodDisruptionBudget, 'pdb', budgetView),
      list(RESOURCES.NetworkPolicy, 'networkpolicy', networkPolicyView),
    ])
    const unread = [autoscalers, budgets, networkPolicies].flatMap((of) => of.unread)
    return {
      autoscalers: autoscalers.read,
      budgets: budgets.read,
      networkPolicies: networkPolicies.read,
      ...(autoscalers.isHidden ? { areAutoscalersHidden: true } : {}),
      ...(unread.length > 0 ? { unread } : {}),
    }
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}

const NOTHING: { readonly read: readonly never[]; readonly unread: readonly UnreadView[] } = { read: [], unread: [] }

const isNamed = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.name === 'string'
