import { labelKeyProblem, labelValueProblem } from '../api/metadata-syntax.ts'
import type { FieldError } from '../api/types.ts'
import { at, isObject, listOr, objectOr } from '../json/json.ts'
import { quoted } from '../text/quoted.ts'
import { isHopelessImagePattern } from './images.ts'
import { WalkBudget } from './path-walk.ts'
import type { ExperimentPolicySpec } from './policy.ts'
import { type KindShape, unmatchedPath } from './unmatched-paths.ts'

/**
 * Something in a policy that can match nothing, so that the policy allows or denies other things than its text says.
 */
export interface PolicyMistake {
  readonly error: FieldError
  /** what is wrong, wherever it is in its list: the same for the same mistake in another version of the policy */
  readonly identity: string
  /** false: it may match a free key such as a label, or something that only other clusters have */
  readonly isCertain: boolean
}

/** Every path, image pattern and label in `policy` that can match nothing. Without a schema, no path is checked. */
export const policyMistakes = (policy: ExperimentPolicySpec, kinds: readonly KindShape[]): readonly PolicyMistake[] => [
  ...selectorMistakes(policy.namespaceSelector),
  ...pathMistakes(policy, kinds),
  ...(policy.allowedImages ?? []).flatMap((pattern, index) =>
    isHopelessImagePattern(pattern)
      ? mistake(
          `spec.allowedImages[${index}]`,
          `${quoted(pattern)} matches no image: no image has such a name`,
          pattern,
        )
      : [],
  ),
]

/** All patterns share one budget, in the order in which they are written. */
function pathMistakes(policy: ExperimentPolicySpec, kinds: readonly KindShape[]): readonly PolicyMistake[] {
  const budget = new WalkBudget()
  return PATH_LISTS.flatMap((list) =>
    (policy[list] ?? []).flatMap((pattern, index) => {
      const found = unmatchedPath(pattern, kinds, budget)
      return found ? mistake(`spec.${list}[${index}]`, found.message, pattern, found.isCertain) : []
    }),
  )
}

const PATH_LISTS = ['allowedOverridePaths', 'deniedOverridePaths'] as const

/** A namespace cannot have a label that is not valid. Only what requires one can never match. */
function selectorMistakes(selector: ExperimentPolicySpec['namespaceSelector']): readonly PolicyMistake[] {
  const field = 'spec.namespaceSelector'
  const labels = Object.entries(objectOr(at(selector, 'matchLabels'))).flatMap(([key, value]) =>
    mistakeIf(`${field}.matchLabels`, labelKeyProblem(key) ?? labelValueProblem(String(value)), `${key}=${value}`),
  )
  const expressions = listOr(at(selector, 'matchExpressions')).flatMap((expression, index) => {
    if (!isObject(expression) || !REQUIRING.has(expression.operator)) return []
    const place = `${field}.matchExpressions[${index}]`
    const { key, operator, values } = expression
    const wrong = listOr(values).map((value) => labelValueProblem(String(value)))
    return [
      ...mistakeIf(`${place}.key`, labelKeyProblem(String(key)), `${key}`),
      ...(wrong.length > 0 && wrong.every((problem) => problem !== undefined)
        ? mistakeIf(`${place}.values`, wrong[0], `${key} ${operator} ${values}`)
        : []),
    ]
  })
  return [...labels, ...expressions]
}

/** The operators that a namespace without the label does not match. */
const REQUIRING: ReadonlySet<unknown> = new Set(['In', 'Exists'])

const mistakeIf = (field: string, problem: string | undefined, value: string): readonly PolicyMistake[] =>
  problem === undefined ? [] : mistake(field, `matches no namespace: ${problem}`, value)

const mistake = (field: string, message: string, value: string, isCertain = true): readonly PolicyMistake[] => [
  {
    error: { field, message, cause: 'FieldValueInvalid' },
    identity: `${field.replaceAll(/\[\d+\]/g, '')} ${value}`,
    isCertain,
  },
]
