import type { PatternStep } from '../override/path.ts'
import type { Shape } from '../override/shape.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { matchPattern, type PatternMatch, WalkBudget } from './path-walk.ts'

type Steps = readonly PatternStep[]

/** The most places where skipped keys are looked for. There are more only after `**`, where no key was skipped. */
const MAX_STOPS = 8

/** The text of a pattern. */
export const patternText = (steps: Steps): string =>
  steps
    .map(({ text }) => text)
    .join('')
    .replace(/^\./, '')

/** The most mistakes of one path that are corrected. */
const MAX_CORRECTIONS = 3

/**
 * The path that was probably meant instead of `steps`, which match nothing below `roots`. Undefined if there is none.
 */
export function correctionOf(steps: Steps, roots: readonly Shape[], budget = new WalkBudget()): Steps | undefined {
  let corrected = steps
  for (let round = 0; round < MAX_CORRECTIONS; round += 1) {
    const far = longestMatch(corrected, roots, { budget })
    const candidates = candidatesAt(corrected, far, budget)
    const match = candidates.find((each) => longestMatch(each, roots, { budget }).isMatch)
    if (match) return match
    const [best] = candidates // a correction of this step may show a mistake in a later one
    if (!best) return undefined
    corrected = best
  }
  return undefined
}

interface WalkOptions {
  readonly budget?: WalkBudget
  /** as in `matchPattern`; default: true */
  readonly onlyFields?: boolean
}

/** How far `steps` can be followed below any of `roots`. */
export function longestMatch(
  steps: Steps,
  roots: readonly Shape[],
  { budget, onlyFields = true }: WalkOptions = {},
): PatternMatch {
  const walks = roots.map((root) => matchPattern(steps, root, onlyFields, budget))
  const match = walks.find(({ isMatch }) => isMatch)
  const matched = Math.max(0, ...walks.map((each) => each.matched))
  return (
    match ?? { isMatch: false, matched, stops: walks.flatMap((each) => (each.matched === matched ? each.stops : [])) }
  )
}

/** `steps` with the step that fails corrected, the likeliest first. */
function candidatesAt(steps: Steps, { matched, stops }: PatternMatch, budget: WalkBudget): readonly Steps[] {
  const [failing, before, after] = [steps[matched], steps.slice(0, matched), steps.slice(matched + 1)]
  if (!failing) return []
  const forms = new Set(stops.map(({ form }) => form))
  const found: Steps[] = []
  const key = keyOf(failing)
  if (forms.has('list') && failing.is === 'member') found.push([...before, ANY_ITEM, failing, ...after])
  if (failing.is === 'item' && (forms.has('object') || forms.has('map')))
    found.push(failing.name === undefined ? [...before, ...after] : [...before, memberStep(failing.name), ...after])
  if (failing.is === 'item' && forms.has('list')) found.push([...before, ANY_ITEM, ...after])
  if (key !== undefined) {
    const similar = didYouMean(key, [...new Set(stops.flatMap(({ fields }) => fields))])
    if (similar !== undefined) found.push([...before, memberStep(similar), ...after])
    for (const skipped of skippedBefore(key, stops, budget))
      found.push([...before, ...skipped.map(memberStep), failing, ...after])
  }
  if (matched > 0 && stops.every(({ form }) => form === 'scalar')) found.push(before)
  return found
}

/**
 * The keys of the one or two objects between `stops` and an object with the field `key`: `template.spec` was left out.
 */
function skippedBefore(key: string, stops: readonly Shape[], budget: WalkBudget): readonly (readonly string[])[] {
  if (stops.length > MAX_STOPS) return []
  const below = (shape: Shape, path: readonly string[]) =>
    shape.fields.map((field) => ({ shape: shape.member(field), path: [...path, field] }))
  const first = stops.flatMap((shape) => below(shape, []))
  const second = first.flatMap(({ shape, path }) => below(shape, path))
  budget.spend(first.length + second.length)
  return [...first, ...second].filter(({ shape }) => shape.fields.includes(key)).map(({ path }) => path)
}

const keyOf = (step: PatternStep): string | undefined =>
  step.is === 'quoted' ? step.name : step.is === 'member' && step.keys?.length === 1 ? step.keys[0] : undefined

const ANY_ITEM: PatternStep = { text: '[*]', is: 'item', name: undefined }

const memberStep = (key: string): PatternStep =>
  /^[\w-]+$/.test(key)
    ? { text: `.${key}`, is: 'member', keys: [key] }
    : { text: `["${key}"]`, is: 'quoted', name: key }
