import { sourceNamespaceOf, withDefaults } from '../api/defaults.ts'
import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import { readyLater } from '../scaling/ready.ts'
import type { PodDemand } from '../strategy/forecast.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { count } from '../text/count.ts'
import { listed } from '../text/list.ts'
import { shortName } from '../text/short-name.ts'
import { missingApproval, unnamedPromotion } from './approval.ts'
import { endpointsNeeded, othersClause } from './other-experiments.ts'
import {
  allowsSmallerSource,
  type ExperimentPolicySpec,
  type LimitKind,
  type PolicyFinding,
  type PolicyInput,
} from './policy.ts'

/** Checks one limit of a policy. The error does not contain the name of the policy. */
type Limit = (policy: ExperimentPolicySpec, judged: PolicyInput) => FieldError | undefined

/** Checks a limit on pods for one number of pods. */
type PodLimit = (policy: ExperimentPolicySpec, judged: PolicyInput, demand: PodDemand) => FieldError | undefined

const atMost = (field: string, max: number | undefined, value: number): FieldError | undefined =>
  max !== undefined && value > max ? invalid(field, `must be at most ${max}, got ${value}`) : undefined

const replicas: PodLimit = ({ maxReplicas }, { experiment }, { field, pods: own, isForPromotion }) => {
  const copies = copiesOf(experiment.spec)
  const pods = own * copies
  if (maxReplicas === undefined || pods <= maxReplicas) return undefined
  const reasons = `${copies > 1 ? ' with the twin' : ''}${isForPromotion ? FOR_PROMOTION : ''}`
  return field === REPLICAS && reasons === ''
    ? atMost(field, maxReplicas, pods)
    : invalid(field, `needs ${pods} pods${reasons}, at most ${maxReplicas} are allowed`)
}

/** Why a fork has more pods than its steps ask for. */
const FOR_PROMOTION = ' for the promotion'

/** How many workloads as large as the fork an experiment may have: its twin counts as the fork does. */
export const copiesOf = ({ analysis }: ExperimentDeployment['spec']): number => (analysis?.control === 'Twin' ? 2 : 1)

const REPLICAS = 'spec.replicas'

const ttl: Limit = ({ maxTTLSeconds: max }, { experiment: { spec } }) => {
  const field = 'spec.ttlSeconds'
  if (spec.ttlSeconds !== undefined) return atMost(field, max, spec.ttlSeconds)
  return max === undefined
    ? undefined
    : { field, message: `required; set it to at most ${max}`, cause: 'FieldValueRequired' }
}

const sourceExists: Limit = ({ sourceMissing }, { experiment, isSourceMissing }) =>
  isSourceMissing && sourceMissing === 'Deny'
    ? invalid('spec.sourceRef', `${sourceName(experiment)} does not exist; create it first`)
    : undefined

const perSource: Limit = ({ maxExperimentsPerSource }, judged) =>
  tooMany(judged.experiment, {
    field: 'spec.sourceRef',
    place: sourceName(judged.experiment),
    max: maxExperimentsPerSource,
    others: ofSource(judged),
  })

const perNamespace: Limit = ({ maxExperimentsPerNamespace }, judged) => {
  const { namespace } = judged.experiment.metadata
  const others = othersOf(judged)?.filter((other) => other.metadata.namespace === namespace)
  const place = `namespace ${namespace}`
  return tooMany(judged.experiment, { field: 'metadata.namespace', place, max: maxExperimentsPerNamespace, others })
}

interface CountLimit {
  readonly field: string
  readonly place: string
  readonly max: number | undefined
  readonly others: readonly ExperimentDeployment[] | undefined
}

function tooMany(experiment: ExperimentDeployment, { field, place, max, others }: CountLimit) {
  if (max === undefined || others === undefined || others.length < max) return undefined
  const remedy = others.length > 0 ? '; delete one first' : ''
  const who = othersClause(
    experiment,
    others.map((of) => ({ of })),
  )
  const message = `${place} already has ${count(others.length, 'experiment')}, at most ${max}${remedy}${who}`
  return { field, message, cause: 'FieldValueForbidden' as const }
}

/**
 * With E pods of experiments on the source and R other ready endpoints, the share is E / (E + R). A cut-over leaves no
 * others. Of a source that gets smaller, R are those that it has at the step.
 */
const share: PodLimit = ({ maxShare }, judged, { field, open: own, onlyOf, isForPromotion, source: later }) => {
  const others = ofSource(judged)
  // an experiment without pods has no share
  if (maxShare === undefined || others === undefined || own === 0) return undefined
  if (onlyOf !== undefined) {
    const message = `the cut-over gives it all requests of service/${onlyOf}, at most ${maxShare} is allowed; use canary`
    return maxShare === '100%' ? undefined : invalid(field, message)
  }
  const all = [{ of: judged.experiment, own }, ...others.map((of) => ({ of, own: replicasOf(of) }))]
  const [worst] = (judged.endpoints ?? [])
    .map(({ service, ready, isOfOnePod }) => {
      const selected = (replicas: number) => (isOfOnePod ? Math.min(1, replicas) : replicas)
      const each = all.map(({ of, own }) => ({ of, pods: selected(own) * copiesOf(of.spec) }))
      const pods = each.reduce((sum, { pods }) => sum + pods, 0)
      const now = judged.sourceReplicas
      const isResized = later !== undefined && now !== undefined && !isOfOnePod
      return {
        service,
        others: each.slice(1),
        pods,
        endpoints: pods + (isResized ? readyLater(ready, { now, later }) : ready),
      }
    })
    .sort((a, b) => b.pods / b.endpoints - a.pods / a.endpoints)
  const percent = Number.parseInt(maxShare, 10)
  if (!worst || worst.pods * 100 <= percent * worst.endpoints)
    return maxShare === '100%' ? undefined : unknownShare(judged, { field, maxShare })
  const endpoints = `${worst.pods} of ${worst.endpoints} endpoints of service/${worst.service}`
  const reason = isForPromotion ? FOR_PROMOTION : ''
  const who = othersClause(
    judged.experiment,
    worst.others.filter(({ pods }) => pods > 0),
  )
  const needed = `allowed from ${count(endpointsNeeded(worst.pods, percent), 'pod')} of others`
  return invalid(field, `experiments would have ${endpoints}${reason}, at most ${maxShare} is allowed${who}; ${needed}`)
}

/** The share is unknown where a Service that may select the fork cannot be read. */
function unknownShare(
  { unread }: PolicyInput,
  { field, maxShare }: { readonly field: string; readonly maxShare: string },
): FieldError | undefined {
  const names = listed((unread ?? []).map((each) => `${each.name} (${each.unread})`))
  const message = `the share of experiments is not known, and at most ${maxShare} is allowed; make these smaller: ${names}`
  return unread ? invalid(field, message) : undefined
}

/** The mode of a promotion, for an experiment that has a run. */
const promotionMode: Limit = ({ promotionModes }, { experiment: { spec } }) => {
  const mode = strategyRunSpec(spec)?.mode
  if (!promotionModes || !mode || promotionModes.includes(mode)) return undefined
  const allowed = promotionModes.length > 0 ? `use ${promotionModes.join(' or ')}` : 'no promotion is allowed'
  return invalid('spec.promotion.mode', `${mode} is not allowed; ${allowed}`)
}

const approver: Limit = ({ approverNotRequester }, { experiment, previews }) =>
  approverNotRequester ? missingApproval(experiment, previews) : undefined

const revision: Limit = ({ requireRevision }, { experiment }) =>
  requireRevision ? unnamedPromotion(experiment) : undefined

const analysisIsThere: Limit = ({ requireAnalysis }, { experiment: { spec } }) =>
  requireAnalysis && !spec.analysis
    ? {
        field: 'spec.analysis',
        message: 'required; set it; {} checks only the health of the fork',
        cause: 'FieldValueRequired',
      }
    : undefined

const provider: Limit = ({ allowedProviders }, { providers = [] }) => {
  const found = allowedProviders && providers.find(({ name }) => !allowedProviders.includes(name))
  if (!found) return undefined
  const allowed = allowedProviders.length > 0 ? `use ${allowedProviders.join(' or ')}` : 'only kubernetes is allowed'
  return invalid(found.field, `provider ${JSON.stringify(found.name)} is not allowed; ${allowed}`)
}

const timeout: Limit = ({ allowTimeoutPromotion }, { experiment: { spec } }) =>
  spec.analysis?.onTimeout === 'Promote' && !allowTimeoutPromotion
    ? invalid('spec.analysis.onTimeout', 'Promote is not allowed; use RollBack or Keep')
    : undefined

const sourceSize: Limit = (policy, { experiment: { spec } }) => {
  if (!strategyRunSpec(spec)?.isInsideSource || allowsSmallerSource(policy)) return undefined
  const why = policy.approverNotRequester
    ? ', because it changes the source before somebody else approves; leave it out'
    : '; leave it out, or ask for allowScaleDownSource'
  return invalid('spec.strategy.canary.scaleDownSource', `not allowed${why}`)
}

const LIMITS: readonly (readonly [limit: Limit, about: LimitKind])[] = [
  [ttl, 'content'],
  [sourceExists, 'content'],
  [analysisIsThere, 'content'],
  [provider, 'content'],
  [sourceSize, 'content'],
  [timeout, 'timeout'],
  [perSource, 'count'],
  [perNamespace, 'count'],
  [promotionMode, 'promotion'],
  [approver, 'approval'],
  [revision, 'approval'],
]

const POD_LIMITS: readonly (readonly [limit: PodLimit, about: LimitKind])[] = [
  [replicas, 'content'],
  [share, 'share'],
]

/** Every limit of `policy` that an experiment exceeds, including a missing source that the policy denies. */
export const brokenPolicyLimits = (
  policy: ExperimentPolicySpec,
  judged: PolicyInput,
): readonly Pick<PolicyFinding, 'error' | 'about' | 'pods'>[] => [
  ...POD_LIMITS.flatMap(([limit, about]) => brokenPodLimits(limit, about, policy, judged)),
  ...LIMITS.flatMap(([limit, about]) => {
    const error = limit(policy, judged)
    return error ? [{ error, about }] : []
  }),
]

/** A limit on pods holds for every step of a strategy, and for `spec.replicas` where no step says a number. */
function brokenPodLimits(limit: PodLimit, about: LimitKind, policy: ExperimentPolicySpec, judged: PolicyInput) {
  const { demands, experiment } = judged
  if (!demands) {
    const error = limit(policy, judged, { field: REPLICAS, pods: replicasOf(experiment), open: replicasOf(experiment) })
    return error ? [{ error, about }] : []
  }
  return demands.flatMap((demand) => {
    const error = limit(policy, judged, demand)
    return error ? [{ error, about, pods: demand.pods }] : []
  })
}

const invalid = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueInvalid' })

const replicasOf = ({ spec }: ExperimentDeployment): number => withDefaults(spec).replicas

const sourceName = (experiment: ExperimentDeployment): string =>
  `${shortName(experiment.spec.sourceRef)} in namespace ${sourceNamespaceOf(experiment)}`

const othersOf = ({ others, experiment }: PolicyInput): readonly ExperimentDeployment[] | undefined =>
  others?.filter((other) => other.metadata.uid !== experiment.metadata.uid)

const ofSource = (judged: PolicyInput): readonly ExperimentDeployment[] | undefined => {
  const name = sourceName(judged.experiment)
  return othersOf(judged)?.filter((other) => sourceName(other) === name)
}
