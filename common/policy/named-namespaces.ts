import { at, isObject, listOr, objectOr } from '../json/json.ts'
import type { ExperimentPolicySpec } from './policy.ts'

/** A namespace that a policy names. */
export interface NamedNamespace {
  readonly field: string
  readonly name: string
}

/** The label that the API server gives every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'
/** The most that are looked for. */
const MAX_NAMED = 10

/** The namespaces that `policy` selects or trusts by name. */
export function namedNamespaces({ namespaceSelector, allowSourcesFrom = [] }: ExperimentPolicySpec) {
  const selector = 'spec.namespaceSelector'
  const label = objectOr(at(namespaceSelector, 'matchLabels'))[NAME_LABEL]
  const all: readonly { readonly field: string; readonly name: unknown }[] = [
    ...(label === undefined ? [] : [{ field: `${selector}.matchLabels`, name: label }]),
    ...listOr(at(namespaceSelector, 'matchExpressions')).flatMap((expression, index) =>
      isObject(expression) && expression.key === NAME_LABEL && expression.operator === 'In'
        ? listOr(expression.values).map((name) => ({ field: `${selector}.matchExpressions[${index}]`, name }))
        : [],
    ),
    ...allowSourcesFrom.map((name, index) => ({ field: `spec.allowSourcesFrom[${index}]`, name })),
  ]
  return all.filter((each): each is NamedNamespace => typeof each.name === 'string').slice(0, MAX_NAMED)
}

/** What is told of one that does not exist: it may be created later. */
export const noSuchNamespace = ({ field, name }: NamedNamespace): string =>
  `${field}: there is no namespace ${JSON.stringify(name)} yet; correct the name, or create it`
