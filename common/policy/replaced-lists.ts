import { listOr, member } from '../json/json.ts'
import { overrideField, type PathStep } from '../override/path.ts'
import { identityOf, type Union } from '../override/shape.ts'
import { listed } from '../text/list.ts'
import type { OverrideChanges, PolicyFinding } from './policy.ts'

/** What to do about a change that only Merge makes. */
export const STRATEGIC = 'use overrideType: Strategic, which keeps what the override leaves out'

/**
 * The list in the override that Merge puts in place of a list of the source, if this is the only cause of the change at
 * `path`: the override does not mention it, and Strategic would keep it. As a field of the override.
 */
export function replacedListAt(path: readonly PathStep[], override: OverrideChanges): string | undefined {
  if (override.overrideType !== 'Merge') return undefined
  let list: number | undefined
  let value: unknown = override.overrideSpec
  let { shape } = override
  for (const [index, step] of path.entries()) {
    if (value === null) return undefined // removed on purpose
    if (value === undefined) break
    if (step.is === 'member') {
      if (shape.unions.some((union) => isReplacedIn(union, value, step.key))) return undefined
      value = member(value, step.key)
      shape = shape.member(step.key)
    } else {
      const { keys } = shape
      if (keys.length === 0) return undefined // Strategic replaces this list, too
      list ??= index
      value = listOr(value).find((item) => identityOf(item, keys) === step.keyed?.identity)
      shape = shape.items()
    }
  }
  return value === undefined && list !== undefined
    ? overrideField(path.slice(0, list), override.overrideSpec)
    : undefined
}

/** Whether the override sets another member of a union than `key`. Strategic then removes `key`. */
function isReplacedIn(union: Union, value: unknown, key: string): boolean {
  if (union.is === 'byType') return union.member === key && ![undefined, union.type].includes(typeIn(value))
  return union.members.includes(key) && union.members.some((other) => other !== key && member(value, other) != null)
}

const typeIn = (value: unknown): string | undefined => {
  const type = member(value, 'type')
  return type === undefined ? undefined : String(type)
}

/** `findings` with one in place of all that a policy has about one list that Merge replaces. */
export function joinReplaced(findings: readonly PolicyFinding[]): readonly PolicyFinding[] {
  const groups = Map.groupBy(findings, (finding) =>
    finding.replacedList === undefined ? finding : `${finding.policy} ${finding.replacedList}`,
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first?.replacedList === undefined || group.length === 1 ? group : [joined(first, group, first.replacedList)]
  })
}

function joined(first: PolicyFinding, group: readonly PolicyFinding[], list: string): PolicyFinding {
  const places = group.map(({ error: { field } }) => (field.startsWith(list) ? field.slice(list.length) : field))
  const changed = `Merge replaces the whole list, which changes ${listed(places)}`
  const message = `${changed}; ${STRATEGIC} (policy "${first.policy}")`
  return { ...first, error: { field: list, message, cause: first.error.cause } }
}
