import { type PatternStep, patternSteps } from '../override/path.ts'
import type { Shape } from '../override/shape.ts'
import { correctionOf, longestMatch, patternText } from './path-correction.ts'
import { shapeWithout, WalkBudget } from './path-walk.ts'

/** A kind of workload, and the shape of its `spec`. Undefined: the cluster has no schema of it. */
export interface KindShape {
  readonly kind: string
  readonly shape: Shape | undefined
}

/** What is wrong with a path that no field matches. */
interface UnmatchedPath {
  readonly message: string
  /** false: a kind without a schema may have the field, or a map may have the key */
  readonly isCertain: boolean
}

/**
 * Why `pattern` of `allowedOverridePaths` or `deniedOverridePaths` can match no field of any kind. Undefined if it can,
 * if no schema is known, or once the `budget` of its policy is spent. Every key in braces must be able to match, unless
 * it is only unknown here.
 */
export function unmatchedPath(
  pattern: string,
  kinds: readonly KindShape[],
  budget = new WalkBudget(),
): UnmatchedPath | undefined {
  const known = kinds.flatMap(({ shape }) => shape ?? [])
  const steps = patternSteps(pattern)
  if (!steps || known.length === 0) return undefined
  const schemas = { known, kinds, budget }
  const whole = mistakeIn(steps, schemas)
  const found = whole ? unmatched(whole) : unmatchedKey(steps, schemas)
  return budget.isSpent ? undefined : found
}

/** What is wrong with a key in braces; the first one for which a correction is known, if there is one. */
function unmatchedKey(steps: readonly PatternStep[], schemas: Schemas): UnmatchedPath | undefined {
  let found: Mistake | undefined
  for (const each of alternativesOf(steps).take(MAX_ALTERNATIVES)) {
    const mistake = mistakeIn(each, schemas)
    if (mistake?.isCertain && mistake.remedy !== '') return unmatched(mistake)
    found ??= mistake
  }
  if (!found?.isCertain) return found && unmatched(found)
  // Another key in the same braces matches, so this one is no typo: the policy is written for several clusters.
  return { message: `${found.message} of this version of Kubernetes`, isCertain: false }
}

/** What a pattern is checked by. */
interface Schemas {
  /** the shapes of the kinds that have one */
  readonly known: readonly Shape[]
  readonly kinds: readonly KindShape[]
  readonly budget: WalkBudget
}

interface Mistake extends UnmatchedPath {
  /** what was probably meant, for the end of the message; may be empty */
  readonly remedy: string
}

const unmatched = ({ message, remedy, isCertain }: Mistake): UnmatchedPath => ({
  message: `${message}${remedy}`,
  isCertain,
})

function mistakeIn(steps: readonly PatternStep[], { known, kinds, budget }: Schemas): Mistake | undefined {
  const isAbove = leadingSpec(steps) > 0
  const matches = (shapes: readonly Shape[], onlyFields: boolean) =>
    longestMatch(steps, shapes, { budget, onlyFields }).isMatch
  if (!isAbove && matches(known, true)) return undefined
  const remedy = remedyFor(steps, known, budget)
  if (!isAbove && matches(known, false)) {
    const message = `${quoted(steps)} matches only free keys, such as labels`
    return remedy === '' ? undefined : { message, remedy, isCertain: false }
  }
  const lacking = kinds.filter(({ shape }) => !shape).map(({ kind }) => kind)
  const isCertain = isAbove || lacking.length === 0 || !matches(known.map(shapeWithout), false)
  const message = `${quoted(steps)} matches no field`
  if (isCertain) return { message, remedy, isCertain }
  return { message, remedy: `, unless of a ${lacking.join(' or ')}, which this cluster does not have`, isCertain }
}

/** How many patterns are checked for one with braces, so that none takes long. */
const MAX_ALTERNATIVES = 16

/** `steps` with one of the keys in braces instead of all, for each of these keys. */
function* alternativesOf(steps: readonly PatternStep[]): Generator<readonly PatternStep[]> {
  for (const [index, step] of steps.entries())
    if (step.is === 'member' && step.keys && step.keys.length > 1)
      for (const key of new Set(step.keys)) yield steps.with(index, { text: `.${key}`, is: 'member', keys: [key] })
}

/** Refusals print `spec.overrideSpec.template`, and manifests of workloads have `spec.template`. */
const ABOVE = ['spec', 'overrideSpec']

/** How many of the first steps are above the fields of a `spec`. No override may set a field `spec` there. */
function leadingSpec(steps: readonly PatternStep[]): number {
  const first = steps.findIndex((step) => step.is !== 'member' || !step.keys?.every((key) => ABOVE.includes(key)))
  return first < 0 ? steps.length : first
}

function remedyFor(steps: readonly PatternStep[], known: readonly Shape[], budget: WalkBudget): string {
  const above = leadingSpec(steps)
  const rest = steps.slice(above)
  const meant = above > 0 && longestMatch(rest, known, { budget }).isMatch ? rest : correctionOf(rest, known, budget)
  if (above > 0)
    return `; paths begin below ${patternText(steps.slice(0, above))}${meant && meant.length > 0 ? `: ${patternText(meant)}` : ''}`
  return meant && meant.length > 0 ? `; did you mean ${quoted(meant)}?` : ''
}

const quoted = (steps: readonly PatternStep[]): string => `"${patternText(steps)}"`
