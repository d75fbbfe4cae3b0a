import { judge } from '../../common/api/judge.ts'
import type { KubeObject } from '../../common/api/object.ts'
import {
  type Concern,
  type ExperimentPolicy,
  type Forks,
  type PolicyFinding,
  refusing,
} from '../../common/api/policy.ts'
import { endpointsBeside } from '../../common/workload/endpoints.ts'
import { sidesOf } from '../../common/workload/sides.ts'
import { replicasOf } from '../../common/workload/status.ts'
import { type Objection, stalled, UNREAD, waiting } from './checks.ts'
import type { Observed, Policing, Rival } from './observe.ts'
import { keptBase } from './starting-base.ts'

/** What policies have to say of an experiment. */
export type Judgement =
  /** we may not see which apply */
  | { readonly is: 'unread' }
  /** the namespace of its source does not let it */
  | {
      readonly is: 'unshared'
      /** names of those that apply */
      readonly policies: readonly string[]
      /** of these, who shares the source with others only */
      readonly refusing: readonly string[]
    }
  | {
      readonly is: 'judged'
      /** names of those that apply */
      readonly policies: readonly string[]
      /** about how many experiments there may be */
      readonly places: readonly PolicyFinding[]
      /** about its part of the traffic */
      readonly share: readonly PolicyFinding[]
      /** about what it says by itself */
      readonly terms: readonly PolicyFinding[]
    }

/** The fork that is wanted, and what it would be without its override. */
export interface Wanted {
  readonly desired: KubeObject
  readonly forks: Forks | undefined
}

/** What the policies that apply say of `observed`. As much as can be judged while no fork can be derived. */
export function judgementOf(observed: Observed, wanted: Wanted | undefined): Judgement {
  const { experiment, policing, fork, now } = observed
  if (!policing) return { is: 'unread' }
  const { policies, namespace, sourceNamespace, rivals } = policing
  if (!policing.isShared)
    return {
      is: 'unshared',
      policies: policies.map(nameOf),
      refusing: refusing(policies, sourceNamespace, namespace.name).map(nameOf),
    }
  const judged = {
    experiment,
    namespace,
    sourceNamespace,
    isSourceMissing: isSourceMissing(observed),
    endpoints: wanted && endpoints(observed, wanted.desired),
    now,
  }
  // whom a limit counts depends on what it limits, and what is overridden matters to its terms alone
  const about = (concern: Concern, others: readonly Rival['experiment'][], forks?: Forks) =>
    judge(policies, { ...judged, others, forks }).filter((finding) => finding.about === concern)
  return {
    is: 'judged',
    policies: policies.map(nameOf),
    places: about('places', ahead(rivals.others, { experiment, hasFork: fork !== undefined })),
    share: about('share', withPods(rivals.others)),
    terms: about('terms', [], wanted?.forks),
  }
}

/**
 * As the webhook takes it: who keeps the base it started from needs no source, and of a kind that is not served none can
 * be created.
 */
const isSourceMissing = (observed: Observed): boolean =>
  observed.source === undefined && observed.kind !== undefined && !observed.isKindAbsent && !keptBase(observed)

/** Why `desired` is not to be written: it is not to be made, or to grow, or to change at all. */
export function objectionTo(desired: KubeObject, fork: KubeObject | undefined, of: Judgement): Objection | undefined {
  if (of.is === 'unread') return waiting('PolicyNotRead', UNREAD)
  if (of.is === 'unshared') return undefined // `checked` has seen to it
  const terms = of.terms.filter(isDenied)
  const places = fork ? [] : of.places.filter(isDenied)
  const share = replicasOf(desired) > (fork ? replicasOf(fork) : 0) ? of.share.filter(isDenied) : []
  const kept = fork ? `; the fork stays as it is, with ${replicasOf(fork)} replicas` : ''
  if (terms.length + share.length > 0) return stalled('PolicyDenied', `${tellFindings([...terms, ...share])}${kept}`)
  return places.length > 0 ? waiting('LimitReached', tellFindings(places)) : undefined
}

/** For a condition. Of what is only to be audited no value is told. */
export const tellFindings = (findings: readonly PolicyFinding[]): string =>
  findings
    .map(({ policy, actions, error: { field, message } }) =>
      actions.every((action) => action === 'Audit') ? `${field} (policy "${policy}")` : `${field}: ${message}`,
    )
    .join('; ')

/** Whatever they say against it. */
export const findingsOf = (judgement: Judgement): readonly PolicyFinding[] =>
  judgement.is === 'judged' ? [...judgement.terms, ...judgement.share, ...judgement.places] : []

/** Names of the policies that it breaks. */
export const violatedIn = (judgement: Judgement): readonly string[] =>
  judgement.is === 'unshared' ? judgement.refusing : findingsOf(judgement).map(({ policy }) => policy)

const nameOf = ({ metadata }: ExperimentPolicy): string => metadata.name

const isDenied = ({ actions }: PolicyFinding): boolean => actions.includes('Deny')

interface Standing {
  readonly experiment: Observed['experiment']
  readonly hasFork: boolean
}

/** Who gets a place before it: forks that exist first, then creation time, then uid. */
function ahead(others: Policing['rivals']['others'], self: Standing): readonly Rival['experiment'][] {
  return others
    .filter(({ experiment, replicas }) => isAhead({ experiment, hasFork: replicas !== undefined }, self))
    .map(({ experiment }) => experiment)
}

const isAhead = (one: Standing, other: Standing): boolean => {
  if (one.hasFork !== other.hasFork) return one.hasFork
  return ageOf(one) < ageOf(other)
}

/** RFC 3339 with whole seconds sorts as text. */
const ageOf = ({ experiment: { metadata } }: Standing): string => `${metadata.creationTimestamp} ${metadata.uid}`

/** Those that have pods, as many as they have: what one is yet to get it may not get. */
const withPods = (others: Policing['rivals']['others']): readonly Rival['experiment'][] =>
  others.flatMap(({ experiment, replicas }) =>
    replicas === undefined ? [] : [{ ...experiment, spec: { ...experiment.spec, replicas } }],
  )

/** Who else gets the requests of the Services that would select `fork`. */
function endpoints({ kind, source, referents, traffic, neighbours }: Observed, fork: KubeObject) {
  if (!kind) return undefined
  return endpointsBeside(traffic, sidesOf({ kind, source, referents, fork }, neighbours?.autoscalers))
}
