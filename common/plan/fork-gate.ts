import { knownValue } from '../api/known.ts'
import { GATE, POD, REVISION } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type Facts, podsOf } from '../facts/facts.ts'
import { gatedHealth } from '../fork/gated-health.ts'
import { forkHealth } from '../fork/health.ts'
import { withPodTrouble } from '../fork/pod-trouble.ts'
import { at, textOr } from '../json/json.ts'
import { lastPassOf } from '../situation/last-pass.ts'
import { isInQuarantine, isPinnedToFork } from '../situation/run.ts'
import type { Situation } from '../situation/situation.ts'
import { type GatedPod, type GateTarget, gateChanges, openPods } from '../strategy/gate.ts'
import type { Health } from '../workload/kind.ts'
import { replicasOf } from '../workload/status.ts'
import type { Write } from '../writes/write.ts'
import { isSameDerivation } from './occasion.ts'

/** The writes that open and shut pods of a gated fork. */
export interface GateWrites {
  readonly writes: readonly Write[]
  /** whether another pod gets requests */
  readonly isOpening: boolean
}

/** No gate writes: the fork is not gated, or there is none. */
export const NO_GATE_WRITES: GateWrites = { writes: [], isOpening: false }

/** The writes that open and shut pods as the present step wants; none while the step or the pods are not known. */
export function gateWrites(facts: Facts, { gate }: DesiredFork, fork: KubeObject): GateWrites {
  const pods = podsOf(facts)
  if (!pods || !gate?.target) return NO_GATE_WRITES
  const { revision, target, isEmptied } = gate
  return writesOf(facts, fork, pods, { open: isEmptied ? 0 : target.open, revision })
}

/**
 * The gate writes of a fork that is not applied. They leave no more pods open than now, and none if the fork must have
 * no pods.
 */
export function gateWritesWithoutChange(
  { facts, run }: Situation,
  fork: KubeObject,
  mustHaveNoPods: boolean,
): readonly Write[] {
  const pods = podsOf(facts)
  if (!pods) return []
  const present = openPods(pods)
  const wanted = run?.target?.open ?? present
  const open = mustHaveNoPods ? 0 : Math.min(wanted, present)
  return writesOf(facts, fork, pods, { open, revision: presentRevision(fork) }).writes
}

/** The revision of the template that the fork has. */
const presentRevision = (fork: KubeObject): string =>
  textOr(at(fork, 'spec', 'template', 'metadata', 'annotations', REVISION), '')

function writesOf(facts: Facts, fork: KubeObject, pods: readonly GatedPod[], target: GateTarget): GateWrites {
  const { open, shut } = gateChanges(pods, target)
  const { experiment, now } = facts
  const write = (isOpen: boolean) => (pod: GatedPod) => gateWrite(experiment, fork, pod, { isOpen, now })
  return { writes: [...open.map(write(true)), ...shut.map(write(false))], isOpening: open.length > 0 }
}

interface GateState {
  readonly isOpen: boolean
  readonly now: Date
}

/** Sets the condition of the gate and leaves all others as they are. With the uid, so that no later pod gets it. */
function gateWrite(
  experiment: ExperimentDeployment,
  { metadata: { namespace = '' } }: KubeObject,
  { name, uid }: GatedPod,
  { isOpen, now }: GateState,
): Write {
  const condition = {
    type: GATE,
    status: isOpen ? 'True' : 'False',
    reason: isOpen ? 'Opened' : 'Shut',
    message: `expd/${experiment.metadata.name} ${isOpen ? 'lets requests in' : 'lets no requests in'}`,
    lastTransitionTime: `${now.toISOString().slice(0, 19)}Z`,
  }
  const { apiVersion, kind } = POD
  const object = { apiVersion, kind, metadata: { namespace, name, uid }, status: { conditions: [condition] } }
  return { verb: 'apply', role: 'pod', resource: POD, object }
}

/** The health of `fork` at the time of `facts`, and why its pods are not ready, if that is known. */
export function healthOf(facts: Facts, wanted: DesiredFork, fork: KubeObject): Health {
  const { status } = facts.experiment
  const told = { message: lastPassOf(status).told, experimentResourceRef: status?.experimentResourceRef }
  return withPodTrouble(countedHealth(facts, wanted, fork), fork, { trouble: knownValue(facts.podTrouble), told })
}

/** Of a gated fork by the containers of its pods. */
function countedHealth(facts: Facts, { kind, gate }: DesiredFork, fork: KubeObject): Health {
  const [pods, podRefusal] = [podsOf(facts), knownValue(facts.podRefusal)]
  if (!gate || !pods) return forkHealth(kind, fork, facts.now, podRefusal)
  const { target, revision, progressDeadlineSeconds } = gate
  const wanted = target?.pods ?? replicasOf(fork)
  const refused = podRefusal === undefined ? {} : { podRefusal }
  return gatedHealth(kind, fork, facts.now, { pods, wanted, revision, progressDeadlineSeconds, ...refused })
}

/**
 * Whether the template of the fork stays as it is: for inspection, because a Service sends requests only to the fork,
 * or because it serves for pods that a promotion of its source takes down.
 */
export function isKept(situation: Situation, fork: KubeObject, wanted: DesiredFork): boolean {
  if (isInQuarantine(situation)) return true
  const { facts, isWriting, storedRun, scaling } = situation
  const isForItsSource = scaling?.isServing === true || (isWriting && storedRun?.run.path === 'Forward')
  const isServing = isPinnedToFork(situation) || isForItsSource
  return isServing && !isSameDerivation(fork, wanted, facts.experiment)
}

/** A kept fork is judged by its own template, and so are its pods. */
export const asKept = (wanted: DesiredFork, fork: KubeObject): DesiredFork =>
  wanted.gate ? { ...wanted, gate: { ...wanted.gate, revision: presentRevision(fork) } } : wanted

/** How many pods a kept fork should have: its size still follows its run and its source. Undefined: it is not known. */
export const keptReplicas = ({ fork, gate }: DesiredFork): number | undefined =>
  gate ? gate.target?.pods : replicasOf(fork)
