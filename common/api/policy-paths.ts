import type { Change } from '../workload/changes.ts'
import { listed } from '../workload/warning.ts'
import { coverage } from './coverage.ts'
import { cut } from './cut.ts'
import { overrideField } from './override-field.ts'
import { parseOverridePath, type Step } from './override-path.ts'
import type { ExperimentPolicySpec } from './policy.ts'
import type { FieldError } from './types.ts'

/** What an override does to its fork. */
export interface Effect {
  readonly changes: readonly Change[]
  readonly overrideSpec: unknown
}

/**
 * Every change that a denied path covers or that no allowed one does, as places in the override; many changes in an
 * added or removed item are one, and at most 21 are told. Fails closed: a denied path that cannot be read is held against every override that
 * changes anything, an allowed one allows nothing.
 */
export function forbiddenPaths(policy: ExperimentPolicySpec, { changes, overrideSpec }: Effect): readonly FieldError[] {
  if (changes.length === 0) return []
  const denied = read(policy.deniedOverridePaths ?? [])
  const allowed = policy.allowedOverridePaths && read(policy.allowedOverridePaths)
  const found = new Map<string, FieldError>()
  const told = new Set<Step | undefined>()
  for (const { path } of changes) {
    if (found.size === MAX_FINDINGS) break
    const deniedAt = denied.about(path)
    if (deniedAt === undefined && (!allowed || allowed.about(path) !== undefined)) continue
    const place = placeOf(path, deniedAt)
    if (told.has(place.at(-1))) continue // another leaf of an item
    told.add(place.at(-1))
    const remedy = deniedAt === undefined && allowed ? `; ${onlyThese(allowed.patterns)}` : ''
    const error = forbidden(overrideField(place, overrideSpec), `${verbOf(place)}${remedy}`)
    found.set(`${error.field} ${error.message}`, error) // a null stands for all that it removes
  }
  return [...denied.unread.map(unreadable), ...found.values()]
}

/** How many are told of one kind, one more than admission shows: an override may change thousands of leaves, and nobody reads on. */
export const MAX_FINDINGS = 21

function read(patterns: readonly string[]) {
  const parsed = patterns.map((pattern) => ({ pattern, path: parseOverridePath(pattern) }))
  return {
    patterns,
    about: coverage(parsed.flatMap(({ path }) => (path ? [path] : []))),
    unread: parsed.filter(({ path }) => !path).map(({ pattern }) => pattern),
  }
}

/** A leaf, or of an item that came or went the item itself, unless the pattern is about something within. */
function placeOf(path: readonly Step[], about = 0): readonly Step[] {
  const item = path.findIndex(cameOrWent)
  return item < 0 ? path : path.slice(0, Math.max(item + 1, about))
}

const cameOrWent = (step: Step): boolean => step.is === 'item' && step.became !== undefined

function verbOf(place: readonly Step[]): string {
  const last = place.at(-1)
  return `may not be ${(last?.is === 'item' && last.became) || 'changed'}`
}

const onlyThese = (patterns: readonly string[]): string =>
  patterns.length === 0 ? 'nothing may' : cut(`only ${listed(patterns)} may`, 120)

const unreadable = (pattern: string): FieldError =>
  forbidden(
    'spec.overrideSpec',
    `cannot be judged: ${JSON.stringify(cut(pattern, 60))} of deniedOverridePaths is no path; correct the policy`,
  )

const forbidden = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueForbidden' })
