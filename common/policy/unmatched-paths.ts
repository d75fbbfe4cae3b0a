import { type PatternStep, patternSteps } from '../override/path.ts'
import type { Shape } from '../override/shape.ts'
import { correctionOf, longestMatch, patternText } from './path-correction.ts'
import { shapeWithout } from './path-walk.ts'

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
 * or if no schema is known. Every key in braces must be able to match, unless it is only unknown here.
 */
export function unmatchedPath(pattern: string, kinds: readonly KindShape[]): UnmatchedPath | undefined {
  const known = kinds.flatMap(({ shape }) => shape ?? [])
  const steps = patternSteps(pattern)
  if (!steps || known.length === 0) return undefined
  const whole = mistakeIn(steps, known, kinds)
  if (whole) return unmatched(whole)
  const keys = [...alternativesOf(steps).take(MAX_ALTERNATIVES)].flatMap((each) => mistakeIn(each, known, kinds) ?? [])
  const [first] = keys
  const found = keys.find(({ isCertain, remedy }) => isCertain && remedy !== '') ?? first
  if (!found?.isCertain || found.remedy !== '') return found && unmatched(found)
  // Another key in the same braces matches, so this one is no typo: the policy is written for several clusters.
  return { message: `${found.message} of this version of Kubernetes`, isCertain: false }
}

interface Mistake extends UnmatchedPath {
  /** what was probably meant, for the end of the message; may be empty */
  readonly remedy: string
}

const unmatched = ({ message, remedy, isCertain }: Mistake): UnmatchedPath => ({
  message: `${message}${remedy}`,
  isCertain,
})

function mistakeIn(
  steps: readonly PatternStep[],
  known: readonly Shape[],
  kinds: readonly KindShape[],
): Mistake | undefined {
  const isAbove = leadingSpec(steps) > 0
  if (!isAbove && longestMatch(steps, known).isMatch) return undefined
  const remedy = remedyFor(steps, known)
  if (!isAbove && longestMatch(steps, known, false).isMatch) {
    const message = `${quoted(steps)} matches only free keys, such as labels`
    return remedy === '' ? undefined : { message, remedy, isCertain: false }
  }
  const lacking = kinds.filter(({ shape }) => !shape).map(({ kind }) => kind)
  const isCertain = isAbove || lacking.length === 0 || !longestMatch(steps, known.map(shapeWithout), false).isMatch
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

function remedyFor(steps: readonly PatternStep[], known: readonly Shape[]): string {
  const above = leadingSpec(steps)
  const rest = steps.slice(above)
  const meant = above > 0 && longestMatch(rest, known).isMatch ? rest : correctionOf(rest, known)
  if (above > 0)
    return `; paths begin below ${patternText(steps.slice(0, above))}${meant && meant.length > 0 ? `: ${patternText(meant)}` : ''}`
  return meant && meant.length > 0 ? `; did you mean ${quoted(meant)}?` : ''
}

const quoted = (steps: readonly PatternStep[]): string => `"${patternText(steps)}"`
