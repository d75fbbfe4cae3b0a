import type { FieldError } from '../api/types.ts'
import { advance, isComplete, type Positions, start } from '../json/sequence.ts'
import { type OverridePath, overrideField, type PathStep, parseOverridePath } from '../override/path.ts'
import { fitted } from '../text/fitted.ts'
import { shortenedList } from '../text/list.ts'
import { quoted } from '../text/quoted.ts'
import type { ExperimentPolicySpec, OverrideChanges } from './policy.ts'
import { replacedListAt, STRATEGIC } from './replaced-lists.ts'

/** A change that is not allowed. */
interface ForbiddenChange {
  readonly error: FieldError
  /** the list that Merge replaced, if the change has no other cause */
  readonly replacedList?: string
}

/**
 * Every change that a denied path covers or that no allowed path covers, as places in the override. All changes in an
 * added or removed item are one error. At most 21. Fails closed: a denied path that cannot be parsed forbids every
 * override that changes anything, and an allowed path that cannot be parsed allows nothing.
 */
export function forbiddenPaths(policy: ExperimentPolicySpec, override: OverrideChanges): readonly ForbiddenChange[] {
  const { changes, overrideSpec } = override
  if (changes.length === 0) return []
  const denied = read(policy.deniedOverridePaths ?? NO_PATTERNS)
  const allowed = policy.allowedOverridePaths && read(policy.allowedOverridePaths)
  const found = new Map<string, ForbiddenChange>()
  const reported = new Set<PathStep | undefined>()
  for (const { path, isMoved } of changes) {
    if (found.size === MAX_FINDINGS) break
    const deniedAt = denied.about(path)
    if (deniedAt === undefined && (!allowed || allowed.about(path) !== undefined)) continue
    const place = placeOf(path, deniedAt)
    if (reported.has(place.at(-1))) continue // another leaf of the same item
    reported.add(place.at(-1))
    const replacedList = replacedListAt(path, override)
    const others = deniedAt === undefined && allowed ? `; ${onlyThese(allowed.patterns)}` : ''
    const remedy = replacedList === undefined ? others : `, as Merge does by replacing the list; ${STRATEGIC}`
    const error = forbidden(
      overrideField(place, overrideSpec),
      `cannot be ${isMoved ? 'moved' : verbOf(place)}${remedy}`,
    )
    // one error for all that a null removes
    found.set(`${error.field} ${error.message}`, replacedList === undefined ? { error } : { error, replacedList })
  }
  return [...denied.unread.map((pattern) => ({ error: unreadable(pattern) })), ...found.values()]
}

const NO_PATTERNS: readonly string[] = []

/** The maximum number of errors of one kind: one more than admission shows. An override may change 5,000 leaves. */
export const MAX_FINDINGS = 21

/** The longest list of what a policy allows, in characters. */
export const MAX_REMEDY = 160

function read(patterns: readonly string[]) {
  const { paths, unread } = parsed(patterns)
  return { patterns, about: coverage(paths), unread }
}

interface Parsed {
  readonly paths: readonly OverridePath[]
  /** the patterns that are not valid */
  readonly unread: readonly string[]
}

/** By the list of a policy, which a watch keeps, so that many reviews share it. */
const PARSED = new WeakMap<readonly string[], Parsed>()

function parsed(patterns: readonly string[]): Parsed {
  const known = PARSED.get(patterns)
  if (known) return known
  const all = patterns.map((pattern) => ({ pattern, path: parseOverridePath(pattern) }))
  const found = {
    paths: all.flatMap(({ path }) => (path ? [path] : [])),
    unread: all.filter(({ path }) => !path).map(({ pattern }) => pattern),
  }
  PARSED.set(patterns, found)
  return found
}

/** The path of a change, or of the added or removed item around it, unless the pattern is about a part of the item. */
function placeOf(path: readonly PathStep[], about = 0): readonly PathStep[] {
  const item = path.findIndex(isAddedOrRemoved)
  return item < 0 ? path : path.slice(0, Math.max(item + 1, about))
}

const isAddedOrRemoved = (step: PathStep): boolean => step.is === 'item' && step.became !== undefined

function verbOf(place: readonly PathStep[]): string {
  const last = place.at(-1)
  return (last?.is === 'item' && last.became) || 'changed'
}

const onlyThese = (patterns: readonly string[]): string =>
  patterns.length === 0 ? 'no path is allowed' : fitted(MAX_REMEDY, ['allowed paths: ', shortenedList(patterns, 2)])

const unreadable = (pattern: string): FieldError =>
  forbidden(
    'spec.overrideSpec',
    `cannot be checked: ${quoted(pattern)} in deniedOverridePaths is not a valid path; correct the policy`,
  )

const forbidden = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueForbidden' })

/** A pattern that may still match below a step. */
type Live = { readonly pattern: OverridePath; readonly places: Positions }

/** How far each pattern has matched after a step. */
interface Mark {
  readonly step: PathStep | undefined
  readonly live: readonly Live[]
  /** some pattern covers the step and everything below it */
  readonly isCovered: boolean
}

/**
 * Returns a function from a path to the smallest number of its first steps that some pattern matches, which covers
 * everything below; undefined if none does. Successive paths share the work for the first steps that are the same
 * objects, as in those of `changesBetween`: an override may change thousands of leaves in one place.
 */
export function coverage(patterns: readonly OverridePath[]): (path: readonly PathStep[]) => number | undefined {
  const first = patterns.map((pattern) => ({ pattern, places: start(pattern) }))
  const trail: Mark[] = [mark(undefined, first)]
  return (path) => {
    let taken = 0
    while (taken + 1 < trail.length && taken < path.length && trail[taken + 1]?.step === path[taken]) taken += 1
    while (trail.length > taken + 1) trail.pop() // a shorter `length` takes ten times as long
    for (const step of path.slice(taken)) {
      const { live, isCovered } = trail.at(-1) ?? END
      if (isCovered || live.length === 0) break
      trail.push(mark(step, after(live, step)))
    }
    return trail.at(-1)?.isCovered ? trail.length - 1 : undefined
  }
}

const END: Mark = { step: undefined, live: [], isCovered: false }

const mark = (step: PathStep | undefined, live: readonly Live[]): Mark => ({
  step,
  live,
  isCovered: live.some(({ pattern, places }) => isComplete(pattern, places)),
})

const after = (live: readonly Live[], step: PathStep): readonly Live[] =>
  live
    .map(({ pattern, places }) => ({ pattern, places: advance(pattern, places, step) }))
    .filter(({ places }) => places.length > 0)
