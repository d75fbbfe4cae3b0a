import { at, listOr } from '../../json/json.ts'
import type { ParsedPath } from './resources.ts'

/**
 * Whether the API server does not serve the kind: its list of groups lacks the group or the version, or the version
 * lacks the plural. (A group may exist without one of its kinds: argoproj.io without Rollouts.)
 * @throws what `read` throws; Error if a response is not a list of groups or of kinds
 */
export async function isAbsent(
  requestedPath: ParsedPath | undefined,
  read: (path: string) => Promise<unknown>,
): Promise<boolean> {
  if (!requestedPath?.group) return false
  const groups = await read('/apis')
  if (at(groups, 'kind') !== 'APIGroupList') throw new Error('the response of /apis is not a list of groups')
  const group = listOr(at(groups, 'groups')).find((group) => at(group, 'name') === requestedPath.group)
  const isServed = listOr(at(group, 'versions')).some((version) => at(version, 'version') === requestedPath.version)
  if (!isServed) return true
  const kinds = await read(`/apis/${requestedPath.group}/${requestedPath.version}`)
  if (at(kinds, 'kind') !== 'APIResourceList') throw new Error('the response of an API version is not a list of kinds')
  return !listOr(at(kinds, 'resources')).some((resource) => at(resource, 'name') === requestedPath.plural)
}
