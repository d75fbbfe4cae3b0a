import { isLive } from '../api/expiry.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { providerRefs } from '../assess/analysis-errors.ts'
import { type Assessment, type DesiredFork, derivedFork, servingPods } from '../assess/assess.ts'
import { notShared, notSharedReason, POLICIES_NOT_READ } from '../assess/checks.ts'
import { type Decision, firstFive, stalled, waiting } from '../facts/decision.ts'
import { type Facts, forkAndSource, type OtherExperiment, type PolicyFacts, podsOf } from '../facts/facts.ts'
import { additions } from '../fork/additions.ts'
import { pinnedSource } from '../fork/pinned.ts'
import { judge, judgeAdditions } from '../policy/judge.ts'
import {
  actionsOf,
  type ExperimentPolicy,
  type LimitKind,
  type PolicyFinding,
  type PolicyInput,
} from '../policy/policy.ts'
import { joinReplaced } from '../policy/replaced-lists.ts'
import { sizeOf } from '../scaling/size.ts'
import { demandsOf } from '../situation/run.ts'
import type { Situation } from '../situation/situation.ts'
import { openPods } from '../strategy/gate.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { endpointsOfOthers } from '../surroundings/shares.ts'
import { count } from '../text/count.ts'
import { shortNameOf } from '../text/short-name.ts'
import { replicasOf } from '../workload/status.ts'

/** The decision of the policies about an experiment. `policies` are the names of those that apply. */
export type PolicyDecision =
  /** it is not known which policies apply */
  | { readonly is: 'notRead' }
  /** no policy shares the source with this namespace; those in `refusing` share it with other namespaces only */
  | NotShared
  | { readonly is: 'decided'; readonly policies: readonly string[]; readonly findings: readonly PolicyFinding[] }

interface NotShared {
  readonly is: 'notShared'
  readonly policies: readonly string[]
  readonly refusing: readonly string[]
  /** for a condition */
  readonly reason: Reason
  readonly message: string
}

/** Judges an experiment by the policies that apply. Without a fork, it judges what is possible without one. */
export function decidePolicy(situation: Situation, assessment: Assessment): PolicyDecision {
  const { facts } = situation
  if (facts.policies.is !== 'known') return { is: 'notRead' }
  const { policies: all, isShared, refusing, others } = facts.policies.value
  const policies = all.map(({ metadata }) => metadata.name)
  const counted = others.filter(({ experiment, replicas }) => replicas !== undefined || isLive(experiment, facts.now))
  if (!isShared) {
    const reason = notSharedReason(facts.policies.value)
    const { message } = notShared(facts.experiment, facts.policies.value)
    return { is: 'notShared', policies, refusing, reason, message }
  }
  // An experiment that has expired or is being deleted counts while it has its fork. Each kind of limit counts other
  // experiments. Only the limits on the content need the effect of the override.
  const findings = [
    ...findingsAbout('content', situation, () => ({ forks: assessment.effect?.(), providers: providerRefs(facts) })),
    ...findingsAbout('timeout', situation, () => ({})),
    ...findingsInLiveFork(facts, assessment),
    ...findingsAbout('share', situation, () => ({
      others: withPods(counted),
      endpoints: endpoints(facts, derivedFork(assessment)),
      unread: knownValue(facts.surroundings.traffic)?.unread,
    })),
    ...findingsAbout('promotion', situation, () => ({})),
    ...findingsAbout('approval', situation, () => ({ previews: declaredPreviews(facts) })),
    ...findingsAbout('count', situation, () => ({ others: ahead(counted, facts) })),
  ]
  return { is: 'decided', policies, findings }
}

/** What policies find in what somebody added to the fork by hand, if the fork can be derived. */
function findingsInLiveFork({ fork, policies }: Facts, assessment: Assessment): readonly PolicyFinding[] {
  const { effect } = assessment
  const [live, about] = [knownValue(fork), knownValue(policies)]
  if (!live || !about || about.policies.length === 0 || !effect) return []
  const added = additions(
    live,
    () => (assessment.is === 'wanted' ? assessment.fork : effect().changed),
    () => effect().shape,
  )
  if (added.length === 0) return []
  const name = shortNameOf(live)
  return judgeAdditions(about.policies, { ...about, name, additions: added })
}

/** The Services whose owners declared them as previews; undefined if they are not known. */
export const declaredPreviews = ({ surroundings: { traffic } }: Facts): readonly string[] | undefined =>
  knownValue(traffic)?.services.flatMap(({ name, isPreview }) => (isPreview ? [name] : []))

type LimitInput = Partial<Pick<PolicyInput, 'forks' | 'providers' | 'previews' | 'others' | 'endpoints' | 'unread'>>

/** What the policies with a limit of `kind` find. `judged` is computed only if there is one. */
function findingsAbout(kind: LimitKind, situation: Situation, judged: () => LimitInput): readonly PolicyFinding[] {
  const { facts } = situation
  const about = knownValue(facts.policies)
  const applying = about?.policies.filter(({ spec }) => isAbout(kind, spec)) ?? []
  if (!about || applying.length === 0) return []
  const { namespace, sourceNamespace } = about
  const { experiment, now } = facts
  const demands = demandsOf(situation)
  const source = knownValue(facts.source)?.object
  const sourceReplicas = source && sizeOf(source).now
  const places = { namespace, sourceNamespace, isSourceMissing: isSourceMissing(facts), sourceReplicas }
  const input = { experiment, ...places, demands, now }
  const unknown = { forks: undefined, others: undefined, endpoints: undefined }
  return judge(applying, { ...input, ...unknown, ...judged() }).filter((finding) => finding.about === kind)
}

const isAbout = (kind: LimitKind, spec: ExperimentPolicy['spec']): boolean => {
  if (kind === 'share') return spec.maxShare !== undefined
  if (kind === 'content' || kind === 'timeout') return true
  if (kind === 'promotion') return spec.promotionModes !== undefined
  if (kind === 'approval') return spec.approverNotRequester === true || spec.requireRevision === true
  return spec.maxExperimentsPerSource !== undefined || spec.maxExperimentsPerNamespace !== undefined
}

/** An experiment with a pinned base needs no source, and a source of a kind that is not served cannot be created. */
function isSourceMissing(facts: Facts): boolean {
  const { source, kind, experiment } = facts
  return source.is === 'absent' && kind.is === 'known' && !pinnedSource(experiment)
}

/** The other endpoints of the Services that would select `fork`. Undefined if they are not known. */
function endpoints(facts: Facts, fork: KubeObject | undefined) {
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  const autoscalers = knownValue(facts.surroundings.neighbours)?.autoscalers
  return pair && traffic && endpointsOfOthers(traffic, trafficInput(pair, autoscalers))
}

/**
 * Why policies do not allow `wanted`: it may not be created, not grow, or not change. Undefined if they allow it.
 * Shares count the pods that get requests.
 */
export function deniedBy(facts: Facts, decision: PolicyDecision, wanted: DesiredFork): Decision | undefined {
  const fork = knownValue(facts.fork)
  if (decision.is === 'notRead') return { ...waiting('PolicyNotRead', POLICIES_NOT_READ), because: 'denied' }
  if (decision.is === 'notShared') return undefined // `assess` has blocked it
  // A step of a strategy is not entered if policies forbid its pods. The steps before it are.
  const replicas = replicasOf(wanted.fork)
  const serving = servingPods(wanted)
  const denied = (kind: LimitKind) =>
    decision.findings.filter(
      ({ about, actions, pods = 0 }) =>
        about === kind && actions.includes('Deny') && pods <= (kind === 'share' ? serving : replicas),
    )
  const now = wanted.gate ? openPods(podsOf(facts) ?? []) : fork ? replicasOf(fork) : 0
  const isGrowing = serving > now
  const violated = [...denied('content'), ...denied('timeout'), ...(isGrowing ? denied('share') : [])]
  const kept = fork ? `; the fork stays as it is, with ${count(replicasOf(fork), 'pod')}` : ''
  if (violated.length > 0)
    return { ...stalled('PolicyDenied', `${formatFindings(violated)}${kept}`), because: 'denied' }
  const counted = fork ? [] : denied('count')
  return counted.length > 0 ? { ...waiting('LimitReached', formatFindings(counted)), because: 'denied' } : undefined
}

/** Whether policies forbid that a twin of `replicas` pods is created, or grows to them beside a fork of that size. */
export const isTwinDenied = (decision: PolicyDecision, replicas: number): boolean =>
  decision.is !== 'decided' ||
  decision.findings.some(
    ({ about, actions, pods = 0 }) =>
      (about === 'content' || about === 'timeout' || about === 'share') && actions.includes('Deny') && pods <= replicas,
  )

/** Why policies do not allow that the source is written; undefined if they allow it. */
export function promotionDeniedBy(decision: PolicyDecision | undefined): Decision | undefined {
  if (decision?.is !== 'decided') return waiting('PolicyNotRead', POLICIES_NOT_READ)
  const denied = decision.findings.filter(
    ({ about, actions }) => (about === 'promotion' || about === 'approval') && actions.includes('Deny'),
  )
  return denied.length > 0 ? stalled('PolicyDenied', formatFindings(denied)) : undefined
}

/**
 * Why policies do not allow that the source is written because an analysis ran out of time; undefined if they allow it.
 * A finding says what the present spec asks for, but the verdict is an earlier one. So the policies themselves are
 * asked.
 */
export function timeoutDeniedBy(policies: Facts['policies']): Decision | undefined {
  const denying = knownValue(policies)?.policies.find(
    ({ spec }) => !spec.allowTimeoutPromotion && actionsOf(spec).includes('Deny'),
  )
  if (!denying) return undefined
  const message = `the analysis ran out of time without a Pass, so nothing is promoted (policy "${denying.metadata.name}")`
  return stalled('PolicyDenied', `${message}; give the command promote, or abort`)
}

/** Fields that say nothing about what the source gets. */
const OF_THE_FORK: ReadonlySet<string> = new Set(['spec.ttlSeconds', 'spec.sourceRef'])

/** Why policies do not allow that the source gets what the override says; undefined if they allow it. */
export function contentDeniedBy(decision: PolicyDecision | undefined): Decision | undefined {
  const denied = (decision ? findingsOf(decision) : []).filter(
    ({ about, actions, pods, error: { field } }) =>
      about === 'content' && actions.includes('Deny') && pods === undefined && !OF_THE_FORK.has(field),
  )
  return denied.length > 0 ? stalled('PolicyDenied', formatFindings(denied)) : undefined
}

/**
 * The first five findings in one line, for a condition. A finding that is only audited shows its field without a value.
 */
export const formatFindings = (findings: readonly PolicyFinding[]): string =>
  firstFive(
    joinReplaced(findings).map(({ policy, actions, error: { field, message } }) =>
      actions.every((action) => action === 'Audit') ? `${field} (policy "${policy}")` : `${field}: ${message}`,
    ),
  )

/** The findings of a decision; none if there is no decision. */
export const findingsOf = (decision: PolicyDecision): readonly PolicyFinding[] =>
  decision.is === 'decided' ? decision.findings : []

/** The names of the policies that the experiment violates. */
export const violatedPolicies = (decision: PolicyDecision): readonly string[] =>
  decision.is === 'notShared' ? decision.refusing : findingsOf(decision).map(({ policy }) => policy)

/** Whether a limit of `policies` counts other experiments, so that a new or growing fork needs a reservation. */
export const isCounting = ({ policies }: Pick<PolicyFacts, 'policies'>): boolean =>
  policies.some(({ spec }) => isAbout('share', spec) || isAbout('count', spec))

/** The experiments that get a limited place before the one of `facts`. */
function ahead(others: readonly OtherExperiment[], { experiment, fork }: Facts): readonly ExperimentDeployment[] {
  const own = rankOf(experiment, fork.is === 'known')
  const before = others.filter(({ experiment, replicas }) => rankOf(experiment, replicas !== undefined) < own)
  return before.map(({ experiment }) => experiment)
}

/** A text that sorts experiments with a fork first, then by creation time, as RFC 3339 sorts as text, then by uid. */
const rankOf = ({ metadata }: ExperimentDeployment, hasFork: boolean): string =>
  `${hasFork ? 0 : 1} ${metadata.creationTimestamp} ${metadata.uid}`

/** The experiments that have pods, with their real replicas. An experiment that waits for pods takes no traffic. */
const withPods = (others: readonly OtherExperiment[]): readonly ExperimentDeployment[] =>
  others.flatMap(({ experiment, replicas }) =>
    replicas === undefined ? [] : [{ ...experiment, spec: { ...experiment.spec, replicas } }],
  )
