import jsonPatch from 'fast-json-patch'
import type { Known } from '../api/known.ts'
import type { BoundedOverride, OverrideType } from '../api/types.ts'
import { isEmpty, isEqual, isObject, type Json, type JsonObject, member } from '../json/json.ts'
import { keeping } from '../json/keeping.ts'
import { changesBetween } from '../override/changes.ts'
import { merge } from '../override/merge.ts'
import type { Shape } from '../override/shape.ts'
import { mergePatch } from '../override/strategic.ts'
import { withoutSpecAlias, withPromotedAccount } from '../workload/service-account.ts'

/** An override, and the source over which a promotion lays it. */
export interface SourceOverride {
  /** of the source, as it is now */
  readonly spec: JsonObject
  readonly overrideSpec: BoundedOverride
  readonly overrideType: OverrideType
  readonly shape: Shape
}

/** What a promotion changes in the `spec` of a source. */
export interface Promotion {
  /** the whole `spec` afterwards */
  readonly after: JsonObject
  /** RFC 7386: to the new values, and back to the former ones */
  readonly forward: JsonObject
  readonly inverse: JsonObject
}

/** What the API server said to a dry run of the write of a promotion. */
export interface DryRun {
  /** the write, and the version of the source: `idOfWrite` */
  readonly of: string
  /** whether it would store the source as it is; absent: no answer yet; unknown: it refuses dry runs */
  readonly changesNothing: Known<boolean>
  /** while the API server has not told it, milliseconds until it may be asked again */
  readonly againInMs?: number
}

/** What the override changes in the source itself. Lists are replaced whole. Undefined if it cannot be merged. */
export const promotionOf = ({ spec, overrideSpec, overrideType, shape }: SourceOverride): Promotion | undefined =>
  promotions(overrideSpec, [spec, overrideType, shape], () => {
    const merged = merge(spec, overrideSpec, overrideType, shape)
    if (merged.is === 'invalid') return undefined
    const after = withPromotedAccount(merged.spec, spec, overrideSpec)
    return {
      after,
      forward: mergePatchBetween(spec, after),
      inverse: mergePatchBetween(after, spec),
    }
  })

const promotions = keeping<Promotion | undefined>()

/** Whether `patch` changes nothing in `spec` that the API server would store otherwise. */
export const isInPlace = (spec: JsonObject, patch: JsonObject, shape: Shape): boolean =>
  changesBetween(spec, mergePatch(spec, patch), shape).length === 0

/** The merge patch (RFC 7386) that makes `after` of `before`. */
export function mergePatchBetween(before: JsonObject, after: JsonObject): JsonObject {
  const patch: Record<string, Json> = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[key], after[key]]
    if (was === is) continue // what an override leaves alone is the same object, which may be nested to any depth
    if (is === undefined) patch[key] = null
    else if (isObject(was) && isObject(is)) {
      const inner = mergePatchBetween(was as JsonObject, is as JsonObject)
      if (Object.keys(inner).length > 0) patch[key] = inner
    } else if (!isEqual(was, is)) patch[key] = is
  }
  return patch
}

/** The longest patch that a status holds, in characters. */
const MAX_PATCH = 16_384

/**
 * A JSON patch (RFC 6902) of a manifest of the source, for `kubectl patch --type=json` and kustomize. It tests the keys
 * of list items before it changes them, and has no former values, because they may be secret. Undefined if it is longer
 * than 16 KiB.
 */
export function patchText(
  { spec, overrideSpec, overrideType }: SourceOverride,
  { after }: Promotion,
): string | undefined {
  const operations =
    overrideType === 'Strategic'
      ? withTests(spec, wholeWhereEmpty(withoutSpecAlias(spec), withoutSpecAlias(after)))
      : replacements(spec, overrideSpec, '')
  const text = JSON.stringify(
    wholeMembers(after, operations).map((operation) => ({ ...operation, path: `/spec${operation.path}` })),
  )
  return text.length <= MAX_PATCH ? text : undefined
}

interface Operation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

/** The operations of a merge patch. A list is replaced whole, by that of the override. */
function replacements(spec: unknown, patch: JsonObject, path: string): readonly Operation[] {
  return Object.entries(patch).flatMap(([key, value]): readonly Operation[] => {
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const before = member(spec, key)
    if (value === null) return before === undefined ? [] : [{ op: 'remove', path: at }]
    if (isObject(value) && isObject(before) && !isEmpty(before)) return replacements(before, value as JsonObject, at)
    if (isEqual(before, value)) return []
    return [
      {
        op: before === undefined || isEmptyObject(before) ? 'add' : 'replace',
        path: at,
        value: isObject(value) ? withoutNulls(value) : value,
      },
    ]
  })
}

const withoutNulls = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, held]) =>
      held === null ? [] : [[key, isObject(held) ? withoutNulls(held) : held]],
    ),
  )

/**
 * The operations between two specs. The API server stores empty objects where a manifest has none, such as the
 * `securityContext` of a pod. So what is added to one is added together with it.
 */
function wholeWhereEmpty(before: JsonObject, after: JsonObject): readonly Operation[] {
  const whole = new Set<string>()
  return jsonPatch.compare(before, after).flatMap((operation): readonly Operation[] => {
    const parent = operation.path.slice(0, operation.path.lastIndexOf('/'))
    if (operation.op !== 'add' || !isEmptyObject(jsonPatch.getValueByPointer(before, parent))) return [operation]
    if (whole.has(parent)) return []
    whole.add(parent)
    return [{ op: 'add', path: parent, value: jsonPatch.getValueByPointer(after, parent) }]
  })
}

/**
 * `operations` with only one for each object beside the template, such as `strategy`: the API server stores defaults in
 * it, also where a manifest does not have it.
 */
function wholeMembers(after: JsonObject, operations: readonly Operation[]): readonly Operation[] {
  const whole = new Set<string>()
  return operations.flatMap((operation): readonly Operation[] => {
    const [, first = '', ...inner] = operation.path.split('/')
    const value = member(after, first)
    if (first === 'template' || inner.length === 0 || !isObject(value)) return [operation]
    if (whole.has(first)) return []
    whole.add(first)
    return [{ op: 'add', path: `/${first}`, value }]
  })
}

const isEmptyObject = (value: unknown): boolean => isObject(value) && isEmpty(value)

/** The members by which the items of lists of a pod are known. */
const KEYS = ['name', 'containerPort', 'mountPath', 'devicePath', 'ip', 'topologyKey']

/** `operations` with a test of the key before the first one of each item of a list. */
function withTests(spec: JsonObject, operations: readonly Operation[]): readonly Operation[] {
  const tested = new Set<string>()
  return operations.flatMap((operation) => {
    const tests = itemsOn(operation.path).flatMap((item): readonly Operation[] => {
      if (tested.has(item)) return []
      tested.add(item)
      const held = jsonPatch.getValueByPointer(spec, item)
      const key = KEYS.find((each) => member(held, each) !== undefined)
      return key === undefined ? [] : [{ op: 'test', path: `${item}/${key}`, value: member(held, key) }]
    })
    return [...tests, operation]
  })
}

/** The pointers to the items of lists that `path` leads through. */
const itemsOn = (path: string): readonly string[] => {
  const steps = path.split('/')
  return steps.flatMap((step, index) =>
    /^\d+$/.test(step) && index < steps.length - 1 ? [steps.slice(0, index + 1).join('/')] : [],
  )
}
