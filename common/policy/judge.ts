import { withDefaults } from '../api/defaults.ts'
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
  const { overrideSpec, overrideType } = withDefaults(experiment.spec)
  const effect =
    applying.length > 0 && forks
      ? { changes: forks.changes(), overrideSpec, overrideType, shape: forks.shape }
      : undefined
  return applying.flatMap(({ metadata, spec }) => {
    const paths = effect ? forbiddenPaths(spec, effect) : []
    const images = effect ? forbiddenImages(spec, effect).map((error) => ({ error })) : []
    const content = [...paths, ...images].map((found) => ({ ...found, about: 'content' as const }))
    const found = [...brokenPolicyLimits(spec, judged), ...content]
    return found.map(({ error: { field, message, cause }, about, ...rest }) => ({
      ...rest,
      policy: metadata.name,
      actions: spec.validationActions ?? (['Deny'] as const),
      about,
      error: { field, message: `${message} (policy "${metadata.name}")`, cause },
    }))
  })
}
