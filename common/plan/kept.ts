import { REVISION } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { DesiredFork } from '../assess/assess.ts'
import type { Facts } from '../assess/facts.ts'
import { isInQuarantine, isPinnedToFork, isWriting, storedRun } from '../assess/run.ts'
import { at, textOr } from '../json/json.ts'
import { replicasOf } from '../workload/status.ts'
import { scaleTo } from './lifecycle.ts'
import { isSameDerivation } from './occasion.ts'
import type { Write } from './write.ts'

/**
 * Whether the template of the fork stays as it is: for inspection, because requests of a Service reach nobody else, or
 * because it serves for pods that a promotion of its source takes down.
 */
export function isKept(facts: Facts, fork: KubeObject, wanted: DesiredFork): boolean {
  if (isInQuarantine(facts)) return true
  const isServing = isPinnedToFork(facts) || (isWriting(facts) && storedRun(facts)?.run.path === 'Forward')
  return isServing && !isSameDerivation(fork, wanted)
}

/** A kept fork is judged by its own template, and so are its pods. */
export function asKept(wanted: DesiredFork, fork: KubeObject): DesiredFork {
  const revision = textOr(at(fork, 'spec', 'template', 'metadata', 'annotations', REVISION), '')
  return wanted.gate ? { ...wanted, gate: { ...wanted.gate, revision } } : wanted
}

/** The size of a kept fork goes on to follow its run and its source. */
export interface KeptSize {
  readonly writes: readonly Write[]
  /** the pods that it shall have, if these are not those that it has */
  readonly replicas?: number
  /** milliseconds until another client's change of it is undone */
  readonly repairInMs?: number
}

/** What changes the size of a kept fork; nothing while its size is not known. It grows only if `mayGrow`. */
export function keptSize(facts: Facts, wanted: DesiredFork, fork: KubeObject, mayGrow: () => boolean): KeptSize {
  const { experiment, driftBackoffMs } = facts
  const { kind, gate } = wanted
  const [replicas, present] = [gate ? gate.target?.pods : replicasOf(wanted.fork), replicasOf(fork)]
  if (replicas === undefined || replicas === present || (replicas > present && !mayGrow())) return { writes: [] }
  const { status, metadata } = experiment
  const isRepair =
    status?.experimentResourceRef?.uid === fork.metadata.uid && status?.observedGeneration === metadata.generation
  if (isRepair && driftBackoffMs > 0) return { writes: [], replicas, repairInMs: driftBackoffMs }
  return { writes: [scaleTo(kind, fork, replicas, { isRepair })], replicas }
}
