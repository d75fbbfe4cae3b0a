import { type ExperimentPolicy, type NamespaceView, selectsNamespace } from './policy.ts'

/**
 * Whether experiments in the namespace called `namespace` may fork sources of `sourceNamespace`. In their own namespace
 * they may. In another one, a policy that selects it must list `namespace` in `allowSourcesFrom`, and no policy that
 * selects it and has this field may omit `namespace`. `validationActions` do not matter: consent must be given.
 */
export function sharesSourcesWith(
  policies: readonly ExperimentPolicy[],
  sourceNamespace: NamespaceView,
  namespace: string,
): boolean {
  if (sourceNamespace.name === namespace) return true
  return (
    sharing(policies, sourceNamespace).length > 0 && refusingConsent(policies, sourceNamespace, namespace).length === 0
  )
}

/** The policies that allow other namespaces than `namespace` to fork sources of `sourceNamespace`. */
export const refusingConsent = (
  policies: readonly ExperimentPolicy[],
  sourceNamespace: NamespaceView,
  namespace: string,
): readonly ExperimentPolicy[] =>
  sharing(policies, sourceNamespace).filter(({ spec }) => spec.allowSourcesFrom?.includes(namespace) !== true)

const sharing = (policies: readonly ExperimentPolicy[], sourceNamespace: NamespaceView): readonly ExperimentPolicy[] =>
  policies.filter((policy) => policy.spec.allowSourcesFrom && selectsNamespace(policy, sourceNamespace))
