import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { OverrideEffect } from '../override/changes.ts'
import { judge } from '../policy/judge.ts'
import { countScopeOf, type ExperimentPolicy, type LimitKind, type PolicyFinding } from '../policy/policy.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { endpointsOfOthers } from '../surroundings/shares.ts'
import { isPinned } from '../workload/pinned.ts'
import { replicasOf } from '../workload/status.ts'
import { type Assessment, type DesiredFork, derivedFork } from './assess.ts'
import { pinnedBase } from './base.ts'
import { POLICIES_NOT_READ } from './checks.ts'
import { type Decision, stalled, waiting } from './decision.ts'
import type { Facts, OtherExperiment, PolicyFacts } from './facts.ts'

/** The decision of the policies about an experiment. */
export type PolicyDecision =
  /** it is not known which policies apply */
  | { readonly is: 'unknown' }
  /** no policy shares the source with the namespace of the experiment */
  | {
      readonly is: 'notShared'
      /** the names of the policies that apply */
      readonly policies: readonly string[]
      /** the names of those that share the source with other namespaces only */
      readonly refusing: readonly string[]
    }
  | {
      readonly is: 'decided'
      /** the names of the policies that apply */
      readonly policies: readonly string[]
      readonly findings: readonly PolicyFinding[]
    }

/** Judges an experiment by the policies that apply. Without a fork, it judges what is possible without one. */
export function decidePolicy(facts: Facts, assessment: Assessment): PolicyDecision {
  if (facts.policies.is !== 'known') return { is: 'unknown' }
  const about = facts.policies.value
  const { policies, isShared, refusing, others } = about
  const names = policies.map(nameOf)
  if (!isShared) return { is: 'notShared', policies: names, refusing }
  if (policies.length === 0) return { is: 'decided', policies: names, findings: [] }
  const { experiment, fork } = facts
  const findings = (kind: LimitKind, counted: readonly ExperimentDeployment[], effect?: OverrideEffect) =>
    findingsAbout(kind, { facts, assessment, about, counted, effect })
  // Each kind of limit counts other experiments. Only the limits on the content need the effect of the override.
  return {
    is: 'decided',
    policies: names,
    findings: [
      ...findings('content', [], assessment.effect?.()),
      ...findings('share', withPods(others)),
      ...findings('count', ahead(others, { experiment, hasFork: fork.is === 'known' })),
    ],
  }
}

interface Judging {
  readonly facts: Facts
  readonly assessment: Assessment
  readonly about: PolicyFacts
  readonly counted: readonly ExperimentDeployment[]
  readonly effect: OverrideEffect | undefined
}

function findingsAbout(kind: LimitKind, { facts, assessment, about, counted, effect }: Judging) {
  const { experiment, now } = facts
  const { namespace, sourceNamespace, policies } = about
  const applying = policies.filter(({ spec }) => isAbout(kind, spec))
  if (applying.length === 0) return []
  const found = judge(applying, {
    experiment,
    namespace,
    sourceNamespace,
    isSourceMissing: isSourceMissing(facts),
    forks: effect,
    others: counted,
    endpoints: kind === 'share' ? endpoints(facts, derivedFork(assessment)) : undefined,
    now,
  })
  return found.filter((finding) => finding.about === kind)
}

const isAbout = (kind: LimitKind, spec: ExperimentPolicy['spec']): boolean => {
  if (kind === 'share') return spec.maxShare !== undefined
  if (kind === 'content') return true
  return spec.maxExperimentsPerSource !== undefined || spec.maxExperimentsPerNamespace !== undefined
}

/** An experiment with a pinned base needs no source, and nobody can create one of a kind that is not served. */
function isSourceMissing(facts: Facts): boolean {
  const { source, kind, revision, experiment } = facts
  const mayHaveBase = isPinned(experiment) && revision.is === 'unknown'
  return source.is === 'absent' && kind.is === 'known' && !mayHaveBase && !pinnedBase(facts)
}

/** Who else gets requests of the Services that would select `fork`. Undefined where nobody can tell. */
function endpoints(facts: Facts, fork: KubeObject | undefined) {
  const [kind, traffic] = [knownValue(facts.kind), knownValue(facts.surroundings.traffic)]
  if (!kind || !fork || !traffic) return undefined
  const { object, referents } = knownValue(facts.source) ?? { object: undefined, referents: [] }
  const autoscalers = knownValue(facts.surroundings.neighbours)?.autoscalers
  return endpointsOfOthers(traffic, trafficInput({ kind, source: object, referents, fork }, autoscalers))
}

/** Why policies do not allow `wanted`: it may not be created, not grow, or not change. Undefined if they allow it. */
export function deniedBy(
  decision: PolicyDecision,
  { fork: wanted }: DesiredFork,
  fork: KubeObject | undefined,
): Decision | undefined {
  if (decision.is === 'unknown') return waiting('PolicyNotRead', POLICIES_NOT_READ)
  if (decision.is === 'notShared') return undefined // `assess` has blocked it
  const denied = (kind: LimitKind) => decision.findings.filter((finding) => finding.about === kind && isDenied(finding))
  const isGrowing = replicasOf(wanted) > (fork ? replicasOf(fork) : 0)
  const violated = [...denied('content'), ...(isGrowing ? denied('share') : [])]
  const kept = fork ? `; the fork stays as it is, with ${replicasOf(fork)} replicas` : ''
  if (violated.length > 0) return stalled('PolicyDenied', `${formatFindings(violated)}${kept}`)
  const counted = fork ? [] : denied('count')
  return counted.length > 0 ? waiting('LimitReached', formatFindings(counted)) : undefined
}

/** The findings in one line, for a condition. A finding that is only audited shows its field without a value. */
export const formatFindings = (findings: readonly PolicyFinding[]): string =>
  findings
    .map(({ policy, actions, error: { field, message } }) =>
      actions.every((action) => action === 'Audit') ? `${field} (policy "${policy}")` : `${field}: ${message}`,
    )
    .join('; ')

/** The findings of a decision; none if there is no decision. */
export const findingsOf = (decision: PolicyDecision): readonly PolicyFinding[] =>
  decision.is === 'decided' ? decision.findings : []

/** The names of the policies that the experiment violates. */
export const violatedPolicies = (decision: PolicyDecision): readonly string[] =>
  decision.is === 'notShared' ? decision.refusing : findingsOf(decision).map(({ policy }) => policy)

/** Whether a limit of `policies` counts other experiments, so that a new or growing fork needs a reservation. */
export function isCounting({ policies }: Pick<PolicyFacts, 'policies'>): boolean {
  const { source, namespace } = countScopeOf(policies)
  return source || namespace
}

const nameOf = ({ metadata }: ExperimentPolicy): string => metadata.name

const isDenied = ({ actions }: PolicyFinding): boolean => actions.includes('Deny')

interface Candidate {
  readonly experiment: ExperimentDeployment
  readonly hasFork: boolean
}

/** The experiments that get a limited place before `self`: those with a fork first, then by creation time and uid. */
function ahead(others: readonly OtherExperiment[], self: Candidate): readonly ExperimentDeployment[] {
  return others
    .filter(({ experiment, replicas }) => isAhead({ experiment, hasFork: replicas !== undefined }, self))
    .map(({ experiment }) => experiment)
}

const isAhead = (one: Candidate, other: Candidate): boolean => {
  if (one.hasFork !== other.hasFork) return one.hasFork
  return ageOf(one) < ageOf(other)
}

/** A text that sorts by creation time, because RFC 3339 with whole seconds sorts as text, and then by uid. */
const ageOf = ({ experiment: { metadata } }: Candidate): string => `${metadata.creationTimestamp} ${metadata.uid}`

/** The experiments that have pods, with their real replicas. An experiment that waits for pods takes no traffic. */
const withPods = (others: readonly OtherExperiment[]): readonly ExperimentDeployment[] =>
  others.flatMap(({ experiment, replicas }) =>
    replicas === undefined ? [] : [{ ...experiment, spec: { ...experiment.spec, replicas } }],
  )
