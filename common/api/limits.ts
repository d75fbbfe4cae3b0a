import { childOf, formatPath, type PathNode, ROOT, stepsTo } from '../json/field-path.ts'
import { isObject, listOr, objectOr } from '../json/json.ts'
import type { Labels } from './object.ts'
import type { FieldError } from './types.ts'

/** The longest text of a refusal that is told, in characters: an admission webhook may have written it. */
export const MAX_REFUSAL = 300

/**
 * Bounds of `overrideSpec`, checked before anything clones, merges, serialises or logs it. A pod template in the wild
 * nests about 15 deep and has some hundred values; merge and schema check are recursive and end near 3,000 levels.
 */
export const OVERRIDE_LIMITS = {
  depth: 64,
  /** keys and list items together */
  nodes: 5_000,
  /** 253 of a DNS subdomain, a slash and 63 of a name: the longest key of a label */
  keyLength: 317,
  /** characters of all keys and scalars */
  characters: 256 * 1024,
} as const

/**
 * The first bound that `overrideSpec` breaks, and every key that no override may use; empty if it breaks none. Walks
 * without recursion and stops at the first bound, so its cost is bounded whatever it is given.
 */
export function brokenLimits(overrideSpec: unknown, root = 'spec.overrideSpec'): readonly FieldError[] {
  const errors: FieldError[] = []
  const stack: { readonly value: unknown; readonly way: PathNode }[] = [{ value: overrideSpec, way: ROOT }]
  let nodes = 0
  let characters = 0
  const error = (way: PathNode, message: string): FieldError => ({
    field: formatPath(root, stepsTo(way)),
    message,
    cause: 'FieldValueInvalid',
  })
  for (let frame = stack.pop(); frame; frame = stack.pop()) {
    const { value, way } = frame
    if (way.depth > OVERRIDE_LIMITS.depth)
      return [error(way, `nested deeper than ${OVERRIDE_LIMITS.depth} levels; flatten it`)]
    const problem = way.parent && typeof way.step === 'string' ? keyProblem(way.step) : undefined
    if (problem) errors.push(error(way, problem))
    if (errors.length > MAX_KEY_ERRORS) return errors
    if (isContainer(value)) {
      const keys = Array.isArray(value) ? undefined : Object.keys(value)
      const count = keys?.length ?? (value as readonly unknown[]).length
      nodes += count
      if (nodes > OVERRIDE_LIMITS.nodes)
        return [error(way, `more than ${OVERRIDE_LIMITS.nodes} keys and items; override less`)]
      // the last is pushed first: findings come in the order of the document
      for (let index = count - 1; index >= 0; index -= 1) {
        const step = keys?.[index] ?? index
        const inner = (value as Readonly<Record<string | number, unknown>>)[step]
        if (typeof step === 'string') characters += step.length
        const isSound =
          way.depth < OVERRIDE_LIMITS.depth && !isUnsafe(inner) && (typeof step === 'number' || !keyProblem(step))
        // most of an override are sound scalars, which need no frame
        if (isSound && !isContainer(inner) && characters + charactersOf(inner) <= OVERRIDE_LIMITS.characters)
          characters += charactersOf(inner)
        else stack.push({ value: inner, way: childOf(way, step) })
      }
    } else characters += charactersOf(value)
    if (characters > OVERRIDE_LIMITS.characters)
      return [error(way, `more than ${OVERRIDE_LIMITS.characters} characters in all; move bulk data into a ConfigMap`)]
    if (isUnsafe(value)) return [error(way, 'an integer beyond 2^53 cannot be kept exactly; write a smaller one')]
  }
  return errors
}

const isUnsafe = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)

const charactersOf = (value: unknown): number => (typeof value === 'string' ? value.length : 8)

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** One more than admission shows, so that its "and more" is true. */
const MAX_KEY_ERRORS = 20

function keyProblem(key: string): string | undefined {
  if (key === '') return 'an empty key; remove it'
  if (key.length > OVERRIDE_LIMITS.keyLength)
    return `a key of ${key.length} characters, at most ${OVERRIDE_LIMITS.keyLength}; shorten it`
  if (key.startsWith('$'))
    return 'keys that begin with "$" are directives of kubectl patch, and not supported here; remove this'
  // deepmerge loses keys that every object inherits, and a prototype is never data
  if (key === 'prototype' || key in Object.prototype) return 'this key is reserved and cannot be overridden; remove it'
  return undefined
}

/**
 * The most items of fields that other people write and on which our time and memory depend. No honest object comes near
 * them. What is beyond one is not known, and is told with its name. `docs/attacks.md` has the same table.
 */
export const FOREIGN_BOUNDS = {
  /** of `spec.selector` of a Service, and the labels and expressions together of any other selector */
  selectorEntries: 64,
  /** of all expressions of a selector together */
  selectorValues: 256,
  servicePorts: 1_000,
  /** of the pod template of a source */
  podLabels: 512,
  /** keys and list items of what a fork inherits: the costs of merging, checking and comparing grow with them */
  sourceNodes: 10_000,
  autoscalerMetrics: 64,
} as const

/** What of a selector is beyond the bounds, as `95000 entries, more than 64`; undefined if nothing is. */
export function beyondSelector(selector: unknown): string | undefined {
  if (!isObject(selector)) return undefined
  const expressions = listOr(selector.matchExpressions)
  const entries = Object.keys(objectOr(selector.matchLabels)).length + expressions.length
  const tooMany = beyond(entries, 'selectorEntries', 'entries')
  if (tooMany !== undefined) return tooMany
  const values = expressions.reduce<number>((sum, each) => sum + listOr(objectOr(each).values).length, 0)
  return beyond(values, 'selectorValues', 'values')
}

/** `found NOUN, more than …` if `found` items are beyond the bound; else undefined. */
export function beyond(found: number, bound: keyof typeof FOREIGN_BOUNDS, noun: string): string | undefined {
  const most = FOREIGN_BOUNDS[bound]
  return found > most ? `${found} ${noun}, more than ${most}` : undefined
}

/** Whether `value` has more than `most` keys and list items in all. Stops at the first that is too many. */
export function hasMoreNodes(value: unknown, most: number): boolean {
  const stack: unknown[] = [value]
  let nodes = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (!isContainer(next)) continue
    const inner = Array.isArray(next) ? next : Object.values(next)
    nodes += inner.length
    if (nodes > most) return true
    for (const each of inner) if (isContainer(each)) stack.push(each)
  }
  return false
}

/** The first `most` pairs of `labels`, whose keys are `keys`, and those that are `asked` for. */
export function firstPairs(
  labels: Labels,
  keys: readonly string[],
  { most, asked }: { readonly most: number; readonly asked: readonly string[] },
): Labels {
  if (keys.length <= most) return labels
  const kept = [...asked.filter((key) => Object.hasOwn(labels, key)), ...keys.slice(0, most)]
  return Object.fromEntries(kept.map((key) => [key, labels[key] ?? '']))
}
