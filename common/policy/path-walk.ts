import type { PatternStep } from '../override/path.ts'
import { NO_SHAPE, type Shape } from '../override/shape.ts'

/** How far a pattern can be followed through a schema. */
export interface PatternMatch {
  /** whether the whole pattern matches some place */
  readonly isMatch: boolean
  /** how many steps of the pattern match some place */
  readonly matched: number
  /** the places that these steps match, where the next step fails; empty if the whole pattern matches */
  readonly stops: readonly Shape[]
}

/** After this many places the pattern counts as matching, so that no pattern takes long. */
const MAX_PLACES = 5_000

/** How many places all walks for one policy may visit. The shipped baseline needs a twentieth of it. */
const MAX_PLACES_OF_POLICY = 200_000

/** What is left of the places that the walks for one policy may visit, so that no policy takes long. */
export class WalkBudget {
  #left: number

  constructor(places = MAX_PLACES_OF_POLICY) {
    this.#left = places
  }

  /** From then on every pattern counts as matching. */
  get isSpent(): boolean {
    return this.#left <= 0
  }

  spend(places: number): void {
    this.#left -= places
  }
}

/**
 * Follows `steps` from `root` to the first place that they match. Schemas may refer to themselves. Below a map any key
 * may stand, so after `**` every key matches something, if only a label. With `onlyFields` that is no match.
 */
export function matchPattern(
  steps: readonly PatternStep[],
  root: Shape,
  onlyFields: boolean,
  budget = new WalkBudget(),
): PatternMatch {
  const seen = [...steps, undefined].map(() => new Set<Shape>())
  const open: { readonly shape: Shape; readonly position: number }[] = []
  let places = 0
  const add = (shape: Shape, position: number): void => {
    if (seen[position]?.has(shape)) return
    seen[position]?.add(shape)
    open.push({ shape, position })
    places += 1
    budget.spend(1)
  }
  add(root, 0)
  for (let at = open.pop(); at; at = open.pop()) {
    const { shape, position } = at
    const step = steps[position]
    const isFree = shape.form === 'map' || shape.form === 'any'
    const isAfterMany = step?.is === 'many' || steps[position - 1]?.is === 'many'
    const next = !step ? 'anything' : onlyFields && isFree && isAfterMany ? [] : nextOf(step, shape)
    if (next === 'anything' || places > MAX_PLACES || budget.isSpent) return MATCH
    const isMany = step?.is === 'many'
    if (isMany) add(shape, position + 1)
    for (const below of next) add(below, isMany ? position : position + 1)
  }
  const matched = seen.findLastIndex((shapes) => shapes.size > 0)
  return { isMatch: false, matched, stops: [...(seen[matched] ?? [])] }
}

const MATCH: PatternMatch = { isMatch: true, matched: 0, stops: [] }

/** The places that `step` reaches from `shape`. `anything` where the schema does not restrict what is there. */
function nextOf(step: PatternStep, shape: Shape): readonly Shape[] | 'anything' {
  const keys = step.is === 'member' ? step.keys : step.is === 'quoted' ? [step.name] : undefined
  switch (shape.form) {
    case 'any':
      return keys?.every((key) => shape.fields.includes(key)) ? keys.map(shape.member) : 'anything'
    case 'scalar':
      return []
    case 'list':
      return matchesItem(step, shape) ? [shape.items()] : []
    case 'map':
      return step.is === 'item' ? [] : [shape.member('*')]
    case 'object':
      if (step.is === 'item') return []
      return (keys?.filter((key) => shape.fields.includes(key)) ?? shape.fields.filter(isSettable)).map(shape.member)
  }
}

/** Anything may stand below managedFields, but no override can set them. */
const isSettable = (field: string): boolean => field !== 'managedFields'

/** Items that are no objects have no key by which they could be named: only an index names them. */
function matchesItem(step: PatternStep, list: Shape): boolean {
  if (step.is === 'many') return true
  if (step.is === 'member') return false
  const isIndexed = list.keys.length === 0 && list.items().form === 'scalar'
  return step.name === undefined || !isIndexed || /^\d+$/.test(step.name)
}

/**
 * The shape of the `spec` of a kind without a schema. Only its pod template is known: every kind has that of `known`.
 */
export const shapeWithout = (known: Shape): Shape => ({
  ...NO_SHAPE,
  fields: ['template'],
  member: (key) => (key === 'template' ? known.member(key) : NO_SHAPE),
})
