import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { blockedByMistakes } from '../assess/checks.ts'
import { type Decision, waiting } from '../facts/decision.ts'
import type { Facts } from '../facts/facts.ts'
import { lazy } from '../facts/lazy.ts'
import { deniedBy, type PolicyDecision } from '../outcome/policy-decision.ts'
import type { Situation } from '../situation/situation.ts'
import { shortNameOf } from '../text/short-name.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import { replicasOf } from '../workload/status.ts'
import type { Doubt } from '../writes/write.ts'
import { asKept, type GateWrites, gateWrites, isKept, keptReplicas, NO_GATE_WRITES } from './fork-gate.ts'
import { hasDrifted, isSmaller, type Occasion, occasionOf } from './occasion.ts'
import { decisionWithoutPods, type PodsForbidden } from './pods-forbidden.ts'

/** A wanted fork, and what decides whether it is written. */
export interface WantedFork {
  readonly situation: Situation
  readonly wanted: DesiredFork
  readonly policy: PolicyDecision
  readonly podsForbidden: PodsForbidden | undefined
  /** whether its analysis asks another question than at the last pass */
  readonly isNewQuestion: boolean
}

/** What the fork needs. */
export type ForkNeed =
  /** only a review fails to read it: whether there is one is not known */
  | { readonly is: 'unknown'; readonly because: string }
  /** it is being deleted, and created again when it is gone */
  | { readonly is: 'leaves'; readonly fork: KubeObject }
  /** it stays as it is: the override has a mistake, or a policy denies the change */
  | { readonly is: 'hold'; readonly decision: Decision }
  /** it stays as it is: the API server refused this one a short time ago */
  | { readonly is: 'refused'; readonly decision: Decision }
  | (Written & Applied & { readonly is: 'create' | 'apply' })
  /** its template is kept, and only its size changes */
  | (Present & { readonly is: 'resize'; readonly replicas: number })
  | (Present & { readonly is: 'asWanted' })

interface Written {
  /** the writes that open and shut its pods */
  readonly gate: GateWrites
}

/** Why a fork is written. */
export interface Applied {
  readonly occasion: Occasion
  /** undefined: our rules find nothing wrong with it */
  readonly doubt: Doubt | undefined
}

interface Present extends Written {
  readonly fork: KubeObject
  /** the fork by which it is judged: a kept one by its own template */
  readonly as: DesiredFork
}

/** What the fork needs: the first of these cases that is true. */
export function needOf({ situation, wanted, policy, ...of }: WantedFork): ForkNeed {
  const { facts } = situation
  const fork = knownValue(facts.fork)
  if (facts.fork.is === 'unknown') return { is: 'unknown', because: facts.fork.because }
  if (fork && isBeingDeleted(fork)) return { is: 'leaves', fork }
  const denied = lazy(() => deniedBy(facts, policy, wanted))
  const kept = fork && isKept(situation, fork, wanted) ? asKept(wanted, fork) : undefined
  const as = kept ?? wanted
  const gate = fork ? gateWrites(facts, as, fork) : NO_GATE_WRITES
  const isInPlace = kept !== undefined || (fork !== undefined && !hasDrifted(facts, fork, wanted))
  if (fork && isInPlace && !(gate.isOpening && denied())) {
    const present = replicasOf(fork)
    const replicas = kept && !of.podsForbidden ? keptReplicas(kept) : undefined
    const isOther = replicas !== undefined && replicas !== present && !(replicas > present && denied())
    return isOther ? { is: 'resize', fork, as, gate, replicas } : { is: 'asWanted', fork, as, gate }
  }
  const mistakes = wanted.mistakes()
  // a fork whose pods must go is not left to an apply that may be refused
  const isLosingPods = fork !== undefined && replicasOf(fork) > 0 && mustLosePods(situation, of.podsForbidden)
  if (mistakes.some(({ isLeftToApiServer }) => !isLeftToApiServer))
    return { is: 'hold', decision: blockedByMistakes('InvalidOverride', mistakes).decision }
  if (mistakes.length > 0 && isLosingPods)
    return { is: 'hold', decision: of.podsForbidden ? decisionWithoutPods(of.podsForbidden) : losingPods(fork) }
  const doubt = mistakes.length > 0 ? { of: stateOf(facts, wanted, fork), mistakes } : undefined
  if (doubt && facts.refused?.of === doubt.of) return { is: 'refused', decision: facts.refused.decision }
  const denial = denied()
  if (denial && !(fork && isSmaller(facts, fork, wanted))) return { is: 'hold', decision: denial }
  return { is: fork ? 'apply' : 'create', gate, occasion: occasionOf(facts, { wanted, ...of }), doubt }
}

/** Whether the fork must lose its pods, whatever is wrong with it: nothing allows them, or its run goes back. */
export function mustLosePods({ facts, wantedReplicas }: Situation, podsForbidden: PodsForbidden | undefined): boolean {
  const { path = 'Forward' } = facts.experiment.status?.strategy ?? {}
  return podsForbidden !== undefined || (path !== 'Forward' && wantedReplicas === 0)
}

const losingPods = (fork: KubeObject): Decision => waiting('Updating', `${shortNameOf(fork)}: no pods`)

/** Changes with the source, the override, the schema and the present fork, some fields of which cannot change. */
const stateOf = ({ schema }: Facts, wanted: DesiredFork, fork: KubeObject | undefined): string =>
  `${knownValue(schema)?.hash} ${wanted.hash()} ${fork?.metadata.uid}`
