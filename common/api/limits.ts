import { formatPath } from './field-path.ts'
import type { FieldError } from './types.ts'

/**
 * Bounds of `overrideSpec`, checked before anything clones, merges, serialises or logs it. A pod template in the wild
 * nests about 15 deep and has some hundred values; merge and schema check are recursive and end near 3,000 levels.
 */
export const LIMITS = {
  depth: 64,
  /** keys and list items together */
  nodes: 5_000,
  /** 253 of a DNS subdomain, a slash and 63 of a name: the longest key of a label */
  keyLength: 317,
  /** characters of all keys and scalars */
  characters: 256 * 1024,
} as const

interface Frame {
  readonly value: unknown
  readonly depth: number
  readonly step: string | number
  readonly parent: Frame | undefined
}

/**
 * The first bound that `overrideSpec` breaks, and every key that no override may use; empty for a sound one. Walks
 * without recursion and stops at the first bound, so its cost is bounded whatever it is given.
 */
export function brokenLimits(overrideSpec: unknown, root = 'spec.overrideSpec'): readonly FieldError[] {
  if (typeof overrideSpec !== 'object' || overrideSpec === null) return walked(overrideSpec, root)
  if (SOUND.has(overrideSpec)) return []
  const errors = walked(overrideSpec, root)
  if (errors.length === 0) SOUND.add(overrideSpec)
  return errors
}

/** Overrides that were found sound, and so remain: nobody writes to them. One review merges each several times. */
const SOUND = new WeakSet<object>()

function walked(overrideSpec: unknown, root: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const stack: Frame[] = [{ value: overrideSpec, depth: 0, step: '', parent: undefined }]
  let nodes = 0
  let characters = 0
  const error = (frame: Frame, message: string): FieldError => ({
    field: formatPath(root, pathOf(frame)),
    message,
    cause: 'FieldValueInvalid',
  })
  for (let frame = stack.pop(); frame; frame = stack.pop()) {
    if (frame.depth > LIMITS.depth) return [error(frame, `nested deeper than ${LIMITS.depth} levels; flatten it`)]
    const problem = frame.parent && typeof frame.step === 'string' ? keyProblem(frame.step) : undefined
    if (problem) errors.push(error(frame, problem))
    if (errors.length > MAX_KEY_ERRORS) return errors
    characters += scalarLength(frame.value)
    const inner: Frame[] = []
    for (const [step, value] of children(frame.value)) {
      nodes += 1
      if (nodes > LIMITS.nodes) return [error(frame, `more than ${LIMITS.nodes} keys and items; override less`)]
      if (typeof step === 'string') characters += step.length
      inner.push({ value, depth: frame.depth + 1, step, parent: frame })
    }
    stack.push(...inner.reverse()) // the first is popped first: findings come in the order of the document
    if (characters > LIMITS.characters)
      return [error(frame, `more than ${LIMITS.characters} characters in all; move bulk data into a ConfigMap`)]
    if (typeof frame.value === 'number' && Number.isInteger(frame.value) && !Number.isSafeInteger(frame.value))
      return [error(frame, 'an integer beyond 2^53 cannot be kept exactly; write a smaller one or a string')]
  }
  return errors
}

/** One more than admission shows, so that its "and more" is true. */
const MAX_KEY_ERRORS = 20

function keyProblem(key: string): string | undefined {
  if (key === '') return 'an empty key; remove it'
  if (key.length > LIMITS.keyLength) return `a key of ${key.length} characters, at most ${LIMITS.keyLength}; shorten it`
  if (key.startsWith('$'))
    return 'keys that begin with "$" are directives of kubectl patch, and not supported here; remove this'
  // deepmerge loses keys that every object inherits, and a prototype is never data
  if (key === 'prototype' || key in Object.prototype) return 'this key is reserved and cannot be overridden; remove it'
  return undefined
}

function children(value: unknown): Iterable<readonly [string | number, unknown]> {
  if (Array.isArray(value)) return value.entries()
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

const scalarLength = (value: unknown): number =>
  typeof value === 'string' ? value.length : typeof value === 'object' && value !== null ? 0 : 8

function pathOf(frame: Frame): (string | number)[] {
  const path: (string | number)[] = []
  for (let at = frame; at.parent; at = at.parent) path.unshift(at.step)
  return path
}
