import { withDefaults } from '../api/defaults.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { FieldChange } from '../override/changes.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { clauses, type Part } from '../text/fitted.ts'
import { unapprovedStrategy } from './approval.ts'
import { forbiddenImages } from './images.ts'
import { brokenPolicyLimits } from './limits.ts'
import { forbiddenPaths } from './paths.ts'
import { actionsOf, applicable, type ExperimentPolicy, type PolicyFinding, type PolicyInput } from './policy.ts'

interface LiveFork extends Pick<PolicyInput, 'namespace' | 'sourceNamespace'> {
  /** `deployment/cart-experiment-cd1aa1c99c` */
  readonly name: string
  /** what somebody added to it by hand */
  readonly additions: readonly FieldChange[]
}

/**
 * Every violation of the `policies` that apply by what somebody added to the live fork. It is only reported: neither a
 * review nor a pass of the controller can remove it, so that `Deny` has the effect of `Warn`.
 */
export function judgeAdditions(policies: readonly ExperimentPolicy[], live: LiveFork): readonly PolicyFinding[] {
  const effect = { changes: live.additions, overrideSpec: {}, overrideType: 'Strategic', shape: NO_SHAPE } as const
  return applicable(policies, live.namespace, live.sourceNamespace).flatMap(({ metadata, spec }) => {
    const actions = [...new Set(actionsOf(spec).map((action) => (action === 'Deny' ? 'Warn' : action)))]
    const paths = forbiddenPaths(spec, effect).map(({ error }) => error)
    return [...paths, ...forbiddenImages(spec, effect)]
      .filter(({ field }) => field !== OVERRIDE) // a pattern that cannot be read has its own finding
      .map(({ field, message, cause }) => ({
        policy: metadata.name,
        actions,
        about: 'content' as const,
        error: {
          field: `${live.name}: ${field.replace(OVERRIDE, 'spec')}`,
          message: `added by hand: ${message}${nameOf(metadata.name)}`,
          cause,
        },
      }))
  })
}

const OVERRIDE = 'spec.overrideSpec'

/** How the message of a finding ends. */
const nameOf = (policy: string): string => ` (policy "${policy}")`

/**
 * Every violation of the `policies`, which apply, by a strategy that asks nobody but its author before a Service sends
 * only to the fork. Only a review asks this, of a strategy that it changes.
 */
export const judgeStrategy = (
  policies: readonly ExperimentPolicy[],
  experiment: ExperimentDeployment,
  previews: readonly string[] | undefined,
): readonly PolicyFinding[] =>
  policies
    .filter(({ spec }) => spec.approverNotRequester === true)
    .flatMap(({ metadata, spec }) =>
      unapprovedStrategy(experiment, previews).map((error) => ({
        policy: metadata.name,
        actions: actionsOf(spec),
        about: 'strategy' as const,
        error: { ...error, message: `${error.message}${nameOf(metadata.name)}` },
      })),
    )

/** A finding as parts of one line: the point and the policy, and in between the remedy, if it fits. */
export function findingParts({ policy, error: { field, message } }: PolicyFinding): readonly Part[] {
  const name = nameOf(policy)
  return message.endsWith(name)
    ? [...clauses(`${field}: ${message.slice(0, -name.length)}`), name]
    : clauses(`${field}: ${message}`)
}

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
      actions: actionsOf(spec),
      about,
      error: { field, message: `${message}${nameOf(metadata.name)}`, cause },
    }))
  })
}
