import { withDefaults } from './defaults.ts'
import { type Concern, type ExperimentPolicySpec, isLive, type Judged, sourceNamespaceOf } from './policy.ts'
import type { ExperimentDeployment, FieldError } from './types.ts'

/** What a limit of a policy has against an experiment, without the policy's name. */
type Limit = (policy: ExperimentPolicySpec, judged: Judged) => FieldError | undefined

const replicas: Limit = ({ maxReplicas }, { experiment }) => {
  const wanted = replicasOf(experiment)
  return maxReplicas !== undefined && wanted > maxReplicas
    ? invalid('spec.replicas', `${wanted} is more than ${maxReplicas}`)
    : undefined
}

const ttl: Limit = ({ maxTTLSeconds }, { experiment: { spec } }) => {
  if (maxTTLSeconds === undefined) return undefined
  const field = 'spec.ttlSeconds'
  if (spec.ttlSeconds === undefined)
    return { field, message: `required here; at most ${maxTTLSeconds}`, cause: 'FieldValueRequired' }
  return spec.ttlSeconds > maxTTLSeconds
    ? invalid(field, `${spec.ttlSeconds} is more than ${maxTTLSeconds}`)
    : undefined
}

const sourceIsThere: Limit = ({ sourceMissing }, { experiment, isSourceMissing }) =>
  isSourceMissing && sourceMissing === 'Deny'
    ? invalid('spec.sourceRef', `no ${sourceName(experiment)}; create it first`)
    : undefined

const perSource: Limit = ({ maxExperimentsPerSource: max }, judged) => {
  const count = ofSource(judged)?.length
  return max !== undefined && count !== undefined && count >= max
    ? forbidden('spec.sourceRef', `${sourceName(judged.experiment)} has ${experiments(count)}; at most ${max}`)
    : undefined
}

const perNamespace: Limit = ({ maxExperimentsPerNamespace: max }, judged) => {
  const { namespace } = judged.experiment.metadata
  const count = living(judged)?.filter((other) => other.metadata.namespace === namespace).length
  return max !== undefined && count !== undefined && count >= max
    ? forbidden('metadata.namespace', `${namespace} has ${experiments(count)}; at most ${max}`)
    : undefined
}

/** With E pods of experiments on the source and R other ready endpoints, the share is E / (E + R). */
const share: Limit = ({ maxShare }, judged) => {
  const own = replicasOf(judged.experiment)
  const others = ofSource(judged)
  // without a pod of its own an experiment takes no share
  if (maxShare === undefined || others === undefined || own === 0) return undefined
  const pods = others.reduce((sum, other) => sum + replicasOf(other), own)
  const [worst] = [...(judged.endpoints ?? [])].sort((a, b) => a.ready - b.ready)
  const percent = Number.parseInt(maxShare, 10)
  if (!worst || pods * 100 <= percent * (pods + worst.ready)) return undefined
  const found = `${pods} of ${pods + worst.ready} endpoints of service/${worst.service} would be experiments'`
  return invalid('spec.replicas', `${found}, more than ${maxShare}`)
}

const LIMITS: readonly (readonly [limit: Limit, about: Concern])[] = [
  [replicas, 'terms'],
  [share, 'share'],
  [ttl, 'terms'],
  [sourceIsThere, 'terms'],
  [perSource, 'places'],
  [perNamespace, 'places'],
]

/** Every number of `policy` that an experiment is beyond, and a source that it must have. */
export const brokenPolicyLimits = (policy: ExperimentPolicySpec, judged: Judged): readonly BrokenLimit[] =>
  LIMITS.flatMap(([limit, about]) => {
    const error = limit(policy, judged)
    return error ? [{ error, about }] : []
  })

interface BrokenLimit {
  readonly error: FieldError
  readonly about: Concern
}

const invalid = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueInvalid' })
const forbidden = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueForbidden' })

const replicasOf = ({ spec }: ExperimentDeployment): number => withDefaults(spec).replicas

const experiments = (count: number): string => (count === 1 ? '1 other experiment' : `${count} other experiments`)

const sourceName = (experiment: ExperimentDeployment): string => {
  const { kind, name } = experiment.spec.sourceRef
  return `${kind.toLowerCase()}/${name} in ${sourceNamespaceOf(experiment)}`
}

const living = ({ others, experiment, now }: Judged): readonly ExperimentDeployment[] | undefined =>
  others?.filter((other) => other.metadata.uid !== experiment.metadata.uid && isLive(other, now))

const ofSource = (judged: Judged): readonly ExperimentDeployment[] | undefined => {
  const name = sourceName(judged.experiment)
  return living(judged)?.filter((other) => sourceName(other) === name)
}
