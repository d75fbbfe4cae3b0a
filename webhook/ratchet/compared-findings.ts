import { knownValue } from '../../common/api/known.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Assessment } from '../../common/assess/assess.ts'
import { isEqual } from '../../common/json/json.ts'
import {
  decidePolicy,
  declaredPreviews,
  findingsOf,
  type PolicyDecision,
} from '../../common/outcome/policy-decision.ts'
import type { FieldChange } from '../../common/override/changes.ts'
import { judgeStrategy } from '../../common/policy/judge.ts'
import { MAX_FINDINGS } from '../../common/policy/paths.ts'
import type { PolicyFinding } from '../../common/policy/policy.ts'
import type { Situation } from '../../common/situation/situation.ts'
import { situationOf } from '../../common/situation/situation-of.ts'

/** An experiment as it is to be stored, and as it is stored. */
export interface Update {
  readonly situation: Situation
  readonly now: Assessment
  readonly previous: ExperimentDeployment | undefined
  /** of `previous` */
  readonly before: () => Assessment | undefined
}

/**
 * The findings of `decision`, and those about a strategy that the update changes. A strategy that was admitted before
 * is not judged again.
 */
export function presentFindings(update: Update, decision: PolicyDecision): readonly PolicyFinding[] {
  const { situation, previous } = update
  const { facts } = situation
  const policies = knownValue(facts.policies)?.policies ?? []
  const { strategy } = facts.experiment.spec
  const isStrategyNew = decision.is === 'decided' && !isEqual(strategy, previous?.spec.strategy)
  const ofStrategy = isStrategyNew ? judgeStrategy(policies, facts.experiment, declaredPreviews(facts)) : []
  return [...orderedFindings(update, decision), ...ofStrategy]
}

/**
 * A policy has no more than `MAX_FINDINGS` about an override, so where one denies as many,
 * it judges what the update changes first. Otherwise 21 violations that are known would hide a new one.
 */
function orderedFindings({ situation, now, before }: Update, decision: PolicyDecision): readonly PolicyFinding[] {
  const found = findingsOf(decision)
  const stored = isFull(found) ? before() : undefined
  if (!stored) return found
  const known = ranksIn(stored)
  const ordered = sorted(now, (change) => (known.has(keyOf(change)) ? 1 : 0))
  return findingsOf(decidePolicy(situation, ordered))
}

/**
 * The findings of policies on the stored experiment. Undefined without a stored
 * experiment, and if the update revives an expired one, which had no pods and was not counted. Findings about approvals
 * are left out, so that a repeated command is judged again. Changes that the update has too are judged first.
 */
export function formerFindings({ situation, now, previous, before }: Update) {
  if (!previous) return undefined
  const former = situationOf({ ...situation.facts, experiment: previous })
  const isRevival = former.hasExpired && !situation.hasExpired
  const stored = isRevival ? undefined : before()
  if (!stored) return undefined
  const present = ranksIn(now)
  const ordered = sorted(stored, (change) => present.get(keyOf(change)) ?? present.size)
  const findings = findingsOf(decidePolicy(former, ordered))
  return { spec: previous.spec, findings: findings.filter(({ about }) => about !== 'approval') }
}

/** Whether a list of what some policy denies may have been cut. */
const isFull = (findings: readonly PolicyFinding[]): boolean =>
  Map.groupBy(
    findings.filter(({ actions }) => actions.includes('Deny')),
    ({ policy }) => policy,
  )
    .values()
    .some(({ length }) => length >= MAX_FINDINGS)

const changesOf = ({ effect }: Assessment): readonly FieldChange[] => effect?.().changes() ?? []

const ranksIn = (assessment: Assessment): ReadonlyMap<string, number> =>
  new Map(changesOf(assessment).map((change, index) => [keyOf(change), index]))

/** What two overrides change alike has the same key. */
const keyOf = ({ path, after, isMoved }: FieldChange): string =>
  JSON.stringify([
    path.map((step) => (step.is === 'member' ? step.key : [step.keyed?.identity ?? step.index])),
    after,
    isMoved,
  ])

/** `assessment` with its changes in the order of their ranks. */
function sorted(assessment: Assessment, rankOf: (change: FieldChange) => number): Assessment {
  const { effect } = assessment
  if (!effect) return assessment
  const ranked = effect()
    .changes()
    .map((change) => ({ change, rank: rankOf(change) }))
  const changes = ranked.toSorted((a, b) => a.rank - b.rank).map(({ change }) => change)
  return { ...assessment, effect: () => ({ ...effect(), changes: () => changes }) }
}
