import { forbiddenImages } from './images.ts'
import { brokenPolicyLimits } from './limits.ts'
import { forbiddenPaths } from './paths.ts'
import { applicable, type ExperimentPolicy, type PolicyFinding, type PolicyInput } from './policy.ts'

/**
 * Every violation of the `policies` that apply, except consent (`sharesSourcesWith`). Messages contain names, numbers
 * and images, but no other values of an override, because they may be secret. Expects an override from which a fork was
 * derived.
 */
export function judge(policies: readonly ExperimentPolicy[], judged: PolicyInput): readonly PolicyFinding[] {
  const applying = applicable(policies, judged.namespace, judged.sourceNamespace)
  const { forks, experiment } = judged
  const effect =
    applying.length > 0 && forks ? { changes: forks.changes(), overrideSpec: experiment.spec.overrideSpec } : undefined
  return applying.flatMap(({ metadata, spec }) => {
    const forbidden = effect ? [...forbiddenPaths(spec, effect), ...forbiddenImages(spec, effect)] : []
    const content = forbidden.map((error) => ({ error, about: 'content' as const }))
    return [...brokenPolicyLimits(spec, judged), ...content].map(({ error: { field, message, cause }, about }) => ({
      policy: metadata.name,
      actions: spec.validationActions ?? (['Deny'] as const),
      about,
      error: { field, message: `${message} (policy "${metadata.name}")`, cause },
    }))
  })
}
