import { at, isEmpty, isObject, type JsonObject, listOr, member } from '../json/json.ts'
import { identityOf, isSameKey, type ListKey } from './shape.ts'

const LISTS = ['initContainers', 'containers'] as const

/** The API server fills these in again with the same values. */
const DEFAULTED: ReadonlySet<string> = new Set([
  'imagePullPolicy',
  'terminationMessagePath',
  'terminationMessagePolicy',
])

/** Lists of a container from which items are rarely removed on purpose. They are known without a schema. */
const KEYS: Readonly<Record<string, readonly ListKey[]>> = {
  env: [{ key: 'name' }],
  ports: [{ key: 'containerPort' }, { key: 'protocol', fallback: 'TCP' }],
}

const REMEDY = 'Merge replaces whole lists; use Strategic to merge them'

/** What the containers of `merged` lack of `base` because Merge replaced a list. One line for each container. */
export const replacedLists = (base: JsonObject, merged: JsonObject): readonly string[] =>
  LISTS.flatMap((list) => {
    const [before, after] = [base, merged].map((spec) => at(spec, 'template', 'spec', list))
    if (before === after) return []
    if (!Array.isArray(after)) return [] // set to null, so intended
    const kept = named(after)
    return [...named(before)].flatMap(([name, container]) => {
      const other = kept.get(name)
      if (other === undefined) return [`${list}[${name}] is removed: ${REMEDY}`]
      const lost = Object.keys(container).filter((key) => isLost(key, container, other))
      return lost.length === 0 ? [] : [`${list}[${name}] loses ${lost.join(', ')}: ${REMEDY}`]
    })
  })

type Container = Readonly<Record<string, unknown>>

const named = (containers: unknown): ReadonlyMap<string, Container> =>
  new Map(
    listOr(containers)
      .filter(isObject)
      .flatMap((container) => (typeof container.name === 'string' ? [[container.name, container] as const] : [])),
  )

function isLost(key: string, before: Container, after: Container): boolean {
  const [value, other] = [before[key], member(after, key)]
  if (DEFAULTED.has(key) || (typeof value === 'object' && value !== null && isEmpty(value))) return false
  if (other === undefined) return true
  const keys = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
  if (!keys) return false
  const [former, present] = [listOr(value), listOr(other)]
  const isInStep = (item: unknown, index: number) => isSameKey(item, present[index], keys)
  if (former.length === present.length && former.every(isInStep)) return false // the usual case
  const kept = new Set(present.map((item) => identityOf(item, keys)))
  return former.some((item) => !kept.has(identityOf(item, keys)))
}
