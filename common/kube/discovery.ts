import { at, listOr } from '../api/object.ts'
import type { Asked } from './resources.ts'

/**
 * Whether the API server serves no such kind: its list of groups lacks group or version, or that version's list lacks
 * the plural (a group may outlive one of its kinds: argoproj.io without Rollouts).
 * @throws what `read` throws; Error if an answer is not what it should be.
 */
export async function isAbsent(asked: Asked | undefined, read: (path: string) => Promise<unknown>): Promise<boolean> {
  if (!asked?.group) return false
  const groups = await read('/apis')
  if (at(groups, 'kind') !== 'APIGroupList') throw new Error('/apis answered with no list of groups')
  const group = listOr(at(groups, 'groups')).find((group) => at(group, 'name') === asked.group)
  const isServed = listOr(at(group, 'versions')).some((version) => at(version, 'version') === asked.version)
  if (!isServed) return true
  const kinds = await read(`/apis/${asked.group}/${asked.version}`)
  if (at(kinds, 'kind') !== 'APIResourceList') throw new Error('a version answered with no list of kinds')
  return !listOr(at(kinds, 'resources')).some((resource) => at(resource, 'name') === asked.plural)
}
