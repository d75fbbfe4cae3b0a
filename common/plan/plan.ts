import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import { attributesOf } from '../api/reasons.ts'
import type { AnalysisState } from '../assess/analysis.ts'
import { type Assessment, assess, type DesiredFork, derivedFork } from '../assess/assess.ts'
import { withOverridePaths } from '../assess/message-paths.ts'
import { type Decision, waiting } from '../facts/decision.ts'
import { type Facts, forkAndSource } from '../facts/facts.ts'
import { isUnseen } from '../fork/health.ts'
import { type AloneFork, aloneBehindService, withoutPods } from '../outcome/alone.ts'
import { decisionOn, type Plan, type Reservation, STALLED_RECHECK_MS } from '../outcome/conclusion.ts'
import { type RunPart, withDecision, withPart } from '../outcome/part.ts'
import { decidePolicy, isCounting, type PolicyDecision } from '../outcome/policy-decision.ts'
import { expiredRunPart, runPart } from '../run/advance.ts'
import { scaleTo } from '../run/leaving.ts'
import { lastPassOf } from '../situation/last-pass.ts'
import type { Situation } from '../situation/situation.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { concernedServices } from '../surroundings/shares.ts'
import { count } from '../text/count.ts'
import { shortNameOf } from '../text/short-name.ts'
import type { Health } from '../workload/kind.ts'
import { replicasOf } from '../workload/status.ts'
import type { Write } from '../writes/write.ts'
import { analysisFor, analysisPart, withVerdict } from './analysis.ts'
import { compose, concludedOf } from './compose.ts'
import { gateWritesWithoutChange, healthOf } from './fork-gate.ts'
import { type Applied, mustLosePods, needOf, type WantedFork } from './fork-need.ts'
import { keptServing } from './kept-serving.ts'
import {
  baseWrites,
  expiryMessage,
  finalizerWrites,
  isChangedByOthers,
  planDeletedFork,
  planDeletion,
  planExpiry,
  planPromoted,
} from './lifecycle.ts'
import { foldedMs, hasSameDerivation, wordsOf } from './occasion.ts'
import { decisionWithoutPods, type PodsForbidden, podsForbiddenBy } from './pods-forbidden.ts'
import { type AnalyzedFork, twinPart } from './twin.ts'

/** What is computed from the facts before the plan: the wanted fork and what policies say about it. */
export interface Evaluation {
  /** its fork has no pods if it must not be alone behind a Service, or because of the verdict of its analysis */
  readonly assessment: Assessment
  readonly policy: PolicyDecision
  readonly alone: AloneFork | undefined
  readonly analysis: AnalysisState | undefined
  readonly podsForbidden: PodsForbidden | undefined
}

/** A review judges an experiment also where a known mistake stops the plan: policies then get another assessment. */
export function evaluate(situation: Situation, assessment = assess(situation), judged = assessment): Evaluation {
  const alone = aloneBehindService(situation, assessment)
  const policy = decidePolicy(situation, judged)
  const analysis = analysisFor(situation, assessment)
  const podsForbidden = podsForbiddenBy(situation, { alone, analysis })
  const withVerdictAnnotation = withVerdict(situation.facts, assessment, analysis)
  return {
    assessment: podsForbidden ? withoutPods(withVerdictAnnotation) : withVerdictAnnotation,
    policy,
    alone,
    analysis,
    podsForbidden,
  }
}

/** Decides what to write. Equal facts give an equal plan. The controller carries it out, the webhook describes it. */
export function plan(situation: Situation, evaluation?: Evaluation): Plan {
  const { fork, run, of } = endingParts(situation) ?? ongoingParts(situation, evaluation ?? evaluate(situation))
  const concluded = concludedOf({ fork, run })
  const analysis = analysisPart(situation, of, concluded)
  const twin = twinPart(situation, of, withPart(concluded, analysis))
  return keptServing(situation, compose({ fork, run, analysis, twin }))
}

/** The fork and its run, and what is analyzed. */
interface ForkAndRun {
  readonly fork: Plan
  readonly run: RunPart | undefined
  readonly of: AnalyzedFork
}

/** The parts of an experiment that is over; undefined while it is not. */
function endingParts(situation: Situation): ForkAndRun | undefined {
  switch (situation.stage) {
    case 'deleting':
      return { fork: planDeletion(situation), run: undefined, of: {} }
    case 'expired': {
      const fork = planExpiry(situation.facts)
      return { fork, run: expiredRunPart(situation, fork), of: {} }
    }
    case 'promoted': {
      const fork = planPromoted(situation)
      return { fork, run: runPart(situation, undefined, fork), of: {} }
    }
    default:
      return undefined
  }
}

function ongoingParts(situation: Situation, evaluated: Evaluation): ForkAndRun {
  const { assessment, analysis } = evaluated
  const fork = forkPart(situation, evaluated)
  return { fork, run: runPart(situation, assessment, fork, analysis), of: { assessment, analysis } }
}

function forkPart(situation: Situation, evaluated: Evaluation): Plan {
  const { facts, stage } = situation
  const { assessment, policy, alone, analysis, podsForbidden } = evaluated
  const of = { situation, policy, podsForbidden, isNewQuestion: isNewQuestion(facts, analysis) }
  const planned =
    assessment.is === 'wanted'
      ? planSync({ ...of, wanted: assessment })
      : planHold(situation, assessment.decision, podsForbidden)
  const isDerived = assessment.is === 'wanted' && planned.conclusion.source !== undefined
  const changes = isDerived ? { changes: assessment.changes } : {}
  const expired: Decision = { is: 'unready', reason: 'Expired', message: expiryMessage(facts.experiment) }
  const concluded = stage === 'returning' ? withDecision(planned.conclusion, expired) : planned.conclusion
  const services = () => followedServices(facts, assessment)
  const conclusion = { ...concluded, policy, ...changes, ...(alone ? { alone } : {}) }
  return { ...planned, conclusion, services }
}

/** Whether the analysis asks another question than at the last pass. */
const isNewQuestion = ({ experiment }: Facts, analysis: AnalysisState | undefined): boolean =>
  experiment.status?.analysis?.run !== analysis?.run?.metadata.name

/** The Services that select the source, or the fork as it is or as it is wanted. */
function followedServices(facts: Facts, assessment: Assessment): ReadonlySet<string> {
  const traffic = knownValue(facts.surroundings.traffic) ?? { services: [], slices: [] }
  const pairs = [knownValue(facts.fork), derivedFork(assessment)].map((fork) => forkAndSource(facts, fork))
  return new Set(pairs.flatMap((pair) => (pair ? concernedServices(traffic, trafficInput(pair)) : [])))
}

/** Makes the fork as it is wanted, if it differs and policies allow it. */
function planSync(of: WantedFork): Plan {
  const { situation, wanted, podsForbidden } = of
  const { facts } = situation
  const { source } = wanted.base
  const before = () => [...finalizerWrites(situation), ...baseWrites(facts, wanted)]
  const need = needOf(of)
  switch (need.is) {
    case 'unknown': {
      const decision = waiting('Updating', `the fork could not be read now (${need.because})`)
      return { writes: [], conclusion: { ...decision, fork: undefined, source } }
    }
    case 'leaves': {
      const leaving = planDeletedFork(situation, need.fork, wanted)
      return { ...leaving, writes: [...gateWritesWithoutChange(situation, need.fork, false), ...leaving.writes] }
    }
    case 'hold':
      return planHold(situation, need.decision, podsForbidden)
    case 'refused': {
      const held = planHold(situation, need.decision, podsForbidden)
      return { ...held, conclusion: { ...held.conclusion, source } }
    }
    case 'asWanted':
      return { writes: [...before(), ...need.gate.writes], conclusion: presentConclusion(of, need) }
    case 'resize': {
      const { writes, ...updating } = resizing(facts, need)
      const conclusion = { ...updating, fork: need.fork, source }
      return { writes: [...before(), ...need.gate.writes, ...writes], conclusion }
    }
    default:
      return planApply(of, need, [...need.gate.writes, ...before()])
  }
}

/** What is told of a fork that is as it should be, or that only gets another size. */
function presentConclusion({ situation: { facts }, wanted, podsForbidden }: WantedFork, { fork, as }: PresentFork) {
  const health = healthOf(facts, as, fork)
  const described = decisionOn(facts.experiment, { ...health, message: messageOf(facts, fork, health) })
  const decision = podsForbidden ? decisionWithoutPods(podsForbidden) : described
  return { ...decision, fork, source: wanted.base.source }
}

interface PresentFork {
  readonly fork: KubeObject
  readonly as: DesiredFork
}

/** Another size of a fork whose template is kept. */
function resizing(facts: Facts, { fork, as, replicas }: PresentFork & { readonly replicas: number }) {
  const { driftBackoffMs: repairInMs } = facts
  const isRepair = isChangedByOthers(facts, fork)
  const updating = waiting('Updating', `${shortNameOf(fork)}: ${count(replicas, 'pod')}`)
  return isRepair && repairInMs > 0
    ? { ...updating, repairInMs, writes: [] }
    : { ...updating, writes: [scaleTo(as.kind, fork, replicas, { isRepair })] }
}

function planApply(
  { situation: { facts }, wanted, podsForbidden }: WantedFork,
  { occasion, doubt }: Applied,
  before: readonly Write[],
): Plan {
  const { kind: resource, fork: object, base } = wanted
  const fork = knownValue(facts.fork)
  const { text, isRepair = false } = wordsOf(occasion)
  const updating = waiting('Updating', `${shortNameOf(object)}: ${text}`)
  const disputed = isRepair ? contested(facts, object) : undefined
  const isAlone = podsForbidden?.because === 'aloneBehindService'
  const decision = isAlone ? decisionWithoutPods(podsForbidden) : (disputed ?? updating)
  const conclusion = { ...decision, fork, source: base.source }
  const reservation = reservationFor(facts, object)
  const reserved = reservation ? { reservation } : {}
  const { driftBackoffMs: repairInMs } = facts
  const later = (retryAfterMs: number): Plan => ({
    ...reserved,
    writes: before,
    conclusion: { ...conclusion, is: 'waiting', retryAfterMs, ...(isRepair ? { repairInMs } : {}) },
  })
  if (isRepair && repairInMs > 0) return later(repairInMs)
  const sharedInMs = foldedMs(facts, occasion)
  if (sharedInMs > 0) return later(sharedInMs)
  const apply: Write = {
    ...{ verb: 'apply', role: fork ? 'fork' : 'newFork', resource, object: withUid(object, fork) },
    ...{ isRepair, isSameDerivation: hasSameDerivation(facts, wanted) },
    ...(doubt ? { doubt } : {}),
  }
  const judged = isAlone || !disputed ? { healthOf: (stored: KubeObject) => healthOf(facts, wanted, stored) } : {}
  return { ...reserved, writes: [...before, apply], conclusion, ...judged }
}

/**
 * The decision on a fork that differs from the wanted one because another client keeps changing it. Undefined if no
 * client does. A fork that is as it should be is never told by this: only its next repair waits.
 */
function contested({ contestedMs }: Facts, object: KubeObject): Decision | undefined {
  if (contestedMs <= 0) return undefined
  const message = `another client keeps changing ${shortNameOf(object)}; each change is undone within a minute`
  return waiting('Contested', message, Math.min(STALLED_RECHECK_MS, contestedMs))
}

/**
 * Leaves the fork as it is. If the reason keeps the fork, it may still be scaled down. A fork that must have no pods
 * loses them in any case.
 */
function planHold(situation: Situation, decision: Decision, podsForbidden: PodsForbidden | undefined): Plan {
  const { facts, wantedReplicas } = situation
  const { driftBackoffMs } = facts
  const mustHaveNoPods = podsForbidden !== undefined
  const [fork, kind] = [knownValue(facts.fork), knownValue(facts.kind)]
  const replicas = mustHaveNoPods ? 0 : wantedReplicas
  const mayShrink = mustLosePods(situation, podsForbidden) || attributesOf(decision.reason).keepsFork
  const before = fork
    ? [...gateWritesWithoutChange(situation, fork, mustHaveNoPods), ...finalizerWrites(situation)]
    : []
  const conclusion = { ...decision, fork, source: undefined }
  if (!fork || !kind || !mayShrink || replicas >= replicasOf(fork)) return { writes: before, conclusion }
  const isRepair = !mustHaveNoPods && isChangedByOthers(facts, fork)
  if (isRepair && driftBackoffMs > 0)
    return { writes: before, conclusion: { ...conclusion, repairInMs: driftBackoffMs } }
  return { writes: [...before, scaleTo(kind, fork, replicas, { isRepair })], conclusion }
}

/** Kubernetes may refuse the pods of a fork that it stored, or Argo its spec: the author knows the override only. */
function messageOf(facts: Facts, fork: KubeObject, health: Health): string {
  const { is, message } = health
  if (is === 'stalled') return withOverridePaths(message, fork, facts)
  return isUnseen(health) ? firstMessage(facts, message) : message
}

/** Keeps the message of the apply, which says why the fork was updated, while the workload controller catches up. */
function firstMessage({ experiment }: Facts, message: string): string {
  const { ofWritten } = lastPassOf(experiment.status)
  return ofWritten?.observedGeneration === experiment.metadata.generation ? ofWritten.message : message
}

/** A fork that is created or scaled up needs a reservation if a limit counts other experiments. */
function reservationFor({ policies, fork }: Facts, wanted: KubeObject): Reservation | undefined {
  const replicas = replicasOf(wanted)
  const isGrowing = fork.is !== 'known' || replicas > replicasOf(fork.value)
  if (policies.is !== 'known' || !isGrowing || !isCounting(policies.value)) return undefined
  return { replicas, asOf: policies.value.othersAsOf }
}

/** With the uid in the body, the API server does not create the fork again if it was deleted meanwhile. */
const withUid = (wanted: KubeObject, fork: KubeObject | undefined): KubeObject =>
  fork?.metadata.uid === undefined ? wanted : { ...wanted, metadata: { ...wanted.metadata, uid: fork.metadata.uid } }
