import { withDefaults } from '../api/defaults.ts'
import { isLive } from '../api/expiry.ts'
import { sourceNamespaceOf } from '../api/source-namespace.ts'
import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import type { ExperimentPolicySpec, LimitKind, PolicyFinding, PolicyInput } from './policy.ts'

/** Checks one limit of a policy. The error does not contain the name of the policy. */
type Limit = (policy: ExperimentPolicySpec, judged: PolicyInput) => FieldError | undefined

const replicas: Limit = ({ maxReplicas }, { experiment }) => {
  const wanted = replicasOf(experiment)
  return maxReplicas !== undefined && wanted > maxReplicas
    ? invalid('spec.replicas', `must be at most ${maxReplicas}, got ${wanted}`)
    : undefined
}

const ttl: Limit = ({ maxTTLSeconds }, { experiment: { spec } }) => {
  if (maxTTLSeconds === undefined) return undefined
  const field = 'spec.ttlSeconds'
  if (spec.ttlSeconds === undefined)
    return { field, message: `required; set it to at most ${maxTTLSeconds}`, cause: 'FieldValueRequired' }
  return spec.ttlSeconds > maxTTLSeconds
    ? invalid(field, `must be at most ${maxTTLSeconds}, got ${spec.ttlSeconds}`)
    : undefined
}

const sourceExists: Limit = ({ sourceMissing }, { experiment, isSourceMissing }) =>
  isSourceMissing && sourceMissing === 'Deny'
    ? invalid('spec.sourceRef', `${sourceName(experiment)} does not exist; create it first`)
    : undefined

const perSource: Limit = ({ maxExperimentsPerSource: max }, judged) => {
  const count = ofSource(judged)?.length
  return max !== undefined && count !== undefined && count >= max
    ? forbidden('spec.sourceRef', tooMany(sourceName(judged.experiment), count, max))
    : undefined
}

const perNamespace: Limit = ({ maxExperimentsPerNamespace: max }, judged) => {
  const { namespace } = judged.experiment.metadata
  const count = liveOthers(judged)?.filter((other) => other.metadata.namespace === namespace).length
  return max !== undefined && count !== undefined && count >= max
    ? forbidden('metadata.namespace', tooMany(`namespace ${namespace}`, count, max))
    : undefined
}

/** With E pods of experiments on the source and R other ready endpoints, the share is E / (E + R). */
const share: Limit = ({ maxShare }, judged) => {
  const own = replicasOf(judged.experiment)
  const others = ofSource(judged)
  // an experiment without pods has no share
  if (maxShare === undefined || others === undefined || own === 0) return undefined
  const pods = others.reduce((sum, other) => sum + replicasOf(other), own)
  const [worst] = [...(judged.endpoints ?? [])].sort((a, b) => a.ready - b.ready)
  const percent = Number.parseInt(maxShare, 10)
  if (!worst || pods * 100 <= percent * (pods + worst.ready)) return undefined
  const endpoints = `${pods} of ${pods + worst.ready} endpoints of service/${worst.service}`
  return invalid('spec.replicas', `experiments would have ${endpoints}, at most ${maxShare} is allowed`)
}

const LIMITS: readonly (readonly [limit: Limit, about: LimitKind])[] = [
  [replicas, 'content'],
  [share, 'share'],
  [ttl, 'content'],
  [sourceExists, 'content'],
  [perSource, 'count'],
  [perNamespace, 'count'],
]

/** Every limit of `policy` that an experiment exceeds, including a missing source that the policy denies. */
export const brokenPolicyLimits = (
  policy: ExperimentPolicySpec,
  judged: PolicyInput,
): readonly Pick<PolicyFinding, 'error' | 'about'>[] =>
  LIMITS.flatMap(([limit, about]) => {
    const error = limit(policy, judged)
    return error ? [{ error, about }] : []
  })

const invalid = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueInvalid' })
const forbidden = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueForbidden' })

const replicasOf = ({ spec }: ExperimentDeployment): number => withDefaults(spec).replicas

const tooMany = (place: string, count: number, max: number): string =>
  `${place} already has ${experiments(count)}, at most ${max}${count > 0 ? '; delete one first' : ''}`

const experiments = (count: number): string => (count === 1 ? '1 experiment' : `${count} experiments`)

const sourceName = (experiment: ExperimentDeployment): string => {
  const { kind, name } = experiment.spec.sourceRef
  return `${kind.toLowerCase()}/${name} in namespace ${sourceNamespaceOf(experiment)}`
}

const liveOthers = ({ others, experiment, now }: PolicyInput): readonly ExperimentDeployment[] | undefined =>
  others?.filter((other) => other.metadata.uid !== experiment.metadata.uid && isLive(other, now))

const ofSource = (judged: PolicyInput): readonly ExperimentDeployment[] | undefined => {
  const name = sourceName(judged.experiment)
  return liveOthers(judged)?.filter((other) => sourceName(other) === name)
}
