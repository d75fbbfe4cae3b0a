import { at, isEmpty, listOr, member, objectOr } from '../json/json.ts'
import type { NeededRequest } from './neighbours.ts'

/** The containers of a pod that run as long as it does. Of init containers these are only those that are restarted. */
export const runningContainers = (pod: unknown): readonly unknown[] => [
  ...listOr(member(pod, 'containers')),
  ...listOr(member(pod, 'initContainers')).filter((container) => member(container, 'restartPolicy') === 'Always'),
]

/**
 * What a pod lacks of that which an autoscaler needs, such as `resources.requests.cpu of container cart`. The rules are
 * those of `calculateRequests` in Kubernetes: a request of the pod replaces those of its containers, but not the one of
 * a container that a metric names.
 */
export function lackingRequests(pod: unknown, { resource, container }: NeededRequest): readonly string[] {
  const all = runningContainers(pod)
  const field = `resources.requests.${resource}`
  if (container === undefined && isSized(pod))
    return [pod, ...all].some((each) => requests(each, resource)) ? [] : [field]
  const counted = all.filter((each) => container === undefined || member(each, 'name') === container)
  if (container !== undefined && counted.length === 0) return [`container ${container}`]
  return counted
    .filter((each) => !requests(each, resource))
    .map((each) => `${field} of container ${member(each, 'name')}`)
}

/** Whether the pod as a whole has requests or limits. */
const isSized = (pod: unknown): boolean =>
  ['requests', 'limits'].some((key) => !isEmpty(objectOr(at(pod, 'resources', key))))

/** The API server takes a limit for the request where there is none. */
const requests = (of: unknown, resource: string): boolean =>
  ['requests', 'limits'].some((key) => Object.hasOwn(objectOr(at(of, 'resources', key)), resource))
