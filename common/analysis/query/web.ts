import type { WebPointers, WebQuery } from '../../api/analysis/metric.ts'
import { PATH_PATTERN } from '../../api/analysis/patterns.ts'
import { valueAtPointer } from '../../json/pointer.ts'
import { filled } from '../placeholders.ts'
import type { Arm } from '../window-data.ts'
import type { ArmMembers } from './arm-members.ts'
import { escapesPath } from './path-escapes.ts'
import { placeholderValues, podList } from './placeholder-values.ts'
import type { ProviderRequest, WindowQuery } from './window-query.ts'

/**
 * What a web service is asked about one arm. `{{pods}}` is a list with commas. Undefined if the path, with what is
 * filled in, could be read as a path elsewhere.
 */
export function webRequest(web: WebQuery, query: WindowQuery, arm: Arm): ProviderRequest | undefined {
  const values = placeholderValues(query, arm, podList)
  const path = filled(web.path, 'Path', values)
  if (!new RegExp(PATH_PATTERN).test(path) || escapesPath(path)) return undefined
  const params = Object.entries(web.params ?? {}).map(([name, text]) => [name, filled(text, 'Plain', values)])
  return { method: 'GET', path, params: Object.fromEntries(params) }
}

/** What the pointers of a metric lead to in the answer for one arm. */
export const pointedMembers = (pointers: WebPointers, json: unknown): ArmMembers =>
  Object.fromEntries(Object.entries(pointers).map(([name, pointer]) => [name, valueAtPointer(json, pointer)]))
