import { applicable, type ExperimentPolicy, type Judged, type PolicyFinding } from './policy.ts'
import { forbiddenImages } from './policy-images.ts'
import { brokenPolicyLimits } from './policy-limits.ts'
import { type Effect, forbiddenPaths } from './policy-paths.ts'

/**
 * Everything that `policies` have against an experiment, each finding by itself; those that do not apply say nothing.
 * Messages hold names, numbers and images, never another value of an override: it may be secret. Expects an override
 * from which a fork was derived. Consent to fork another namespace's sources is for `sharesSourcesWith` to tell.
 */
export function judge(policies: readonly ExperimentPolicy[], judged: Judged): readonly PolicyFinding[] {
  const applying = applicable(policies, judged.namespace, judged.sourceNamespace)
  const effect = applying.length > 0 ? effectOf(judged) : undefined
  return applying.flatMap(({ metadata, spec }) => {
    const forbidden = effect ? [...forbiddenPaths(spec, effect), ...forbiddenImages(spec, effect)] : []
    const found = [
      ...brokenPolicyLimits(spec, judged),
      ...forbidden.map((error) => ({ error, about: 'terms' as const })),
    ]
    return found.map(({ error: { field, message, cause }, about }) => ({
      policy: metadata.name,
      actions: spec.validationActions ?? (['Deny'] as const),
      about,
      error: { field, message: `${message} (policy "${metadata.name}")`, cause },
    }))
  })
}

/** Undefined where no fork can be told now. */
function effectOf({ forks, experiment }: Judged): Effect | undefined {
  if (!forks) return undefined
  return { changes: forks.changes(), overrideSpec: experiment.spec.overrideSpec }
}
