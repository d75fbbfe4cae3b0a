import { leaving } from '../advance/leaving.ts'
import { isFinal } from '../analysis/run/look.ts'
import { hasEnded } from '../analysis/run/records.ts'
import type { TwinRef } from '../api/analysis/analysis.ts'
import { boundedOverride } from '../api/decode.ts'
import { knownValue } from '../api/known.ts'
import { DERIVED_HASH } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { AnalysisState } from '../assess/analysis.ts'
import type { Assessment, DesiredFork } from '../assess/assess.ts'
import type { Conclusion, Plan } from '../conclusion/conclusion.ts'
import { isTwinDenied } from '../conclusion/policy-decision.ts'
import type { Write } from '../conclusion/write.ts'
import { type Facts, isAsWritten, lastWriteOfTwin } from '../facts/facts.ts'
import { lazy } from '../facts/lazy.ts'
import { derive, wholeForkHash } from '../fork/derive.ts'
import type { Situation } from '../run-state/situation.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import { replicasOf } from '../workload/status.ts'
import { isChanged, isSameDerivation } from './occasion.ts'

/** The wanted fork, and its analysis. Both are undefined when the experiment ends. */
export interface AnalyzedFork {
  readonly assessment?: Assessment | undefined
  readonly analysis?: AnalysisState | undefined
}

/**
 * `planned` with the writes of the twin: a second fork without the override, as large as the present fork, while the
 * analysis run goes on. It leaves as soon as no analysis compares it any more.
 */
export function withTwinWrites({ facts, isWriting }: Situation, of: AnalyzedFork, planned: Plan): Plan {
  const { twin: known, experiment } = facts
  const twin = knownValue(known?.object ?? { is: 'absent' })
  if (!known || known.object.is === 'unknown') return planned
  const isAsked = facts.analysis !== undefined && experiment.spec.analysis?.control === 'Twin'
  const replicas = replicasNow(facts, planned)
  // The fork cannot be derived now, and stays as it is. So does its twin.
  const isUnclear = of.assessment !== undefined && of.analysis === undefined && !isWriting
  if (isAsked && isUnclear && replicas > 0) return withTwinConclusion(planned, twin)
  const isCompared = isAsked && isGoingOn(of.analysis) && replicas > 0
  if (!isCompared) return twin ? withoutTwin(facts, twin, planned) : planned
  if (planned.conclusion.is !== 'settled' || of.assessment?.is !== 'wanted') return withTwinConclusion(planned, twin)
  const wanted = desiredTwin(facts, of.assessment, replicas)
  return wanted ? planSize(facts, wanted, withTwinConclusion(planned, twin)) : withTwinConclusion(planned, twin)
}

/** The twin is as large as the fork is now. A fork that gets other pods in this pass is followed in the next one. */
const replicasNow = ({ fork }: Facts, { conclusion }: Plan): number =>
  conclusion.fork && fork.is === 'known' ? replicasOf(fork.value) : 0

const isGoingOn = (analysis: AnalysisState | undefined): boolean =>
  analysis?.run !== undefined && !hasEnded(analysis.run) && !isFinal(analysis.run.status, analysis.spec)

const withTwinConclusion = (planned: Plan, twin: KubeObject | undefined): Plan =>
  twin ? { ...planned, conclusion: { ...planned.conclusion, twin } } : planned

const withWrite = (planned: Plan, writes: readonly Write[]): Plan => ({
  ...planned,
  writes: [...planned.writes, ...writes],
})

/** Takes the twin away. Until it is deleted, the status names it. */
function withoutTwin(facts: Facts, twin: KubeObject, planned: Plan): Plan {
  const { kind, now, twin: known } = facts
  const resource = knownValue(kind)
  if (!resource) return planned
  const { leavingMs, repairInMs } = known ?? {}
  const isRefilled = leavingMs !== undefined && !isAsWritten(twin, lastWriteOfTwin(twin, facts))
  const repair = isRefilled ? { repairInMs } : {}
  const { write, leaving: of } = leaving(resource, twin, { role: 'twin', now, leavingMs, ...repair })
  const left = write ? withWrite(planned, [write]) : planned
  if (!of) return left
  const { conclusion } = left
  return { ...left, conclusion: { ...conclusion, twin, leaving: [...(conclusion.leaving ?? []), of] } }
}

/** The twin that is wanted; undefined where none can be derived. */
function desiredTwin({ experiment, schema }: Facts, { kind, base: { base } }: DesiredFork, replicas: number) {
  const without = { ...experiment, spec: { ...experiment.spec, overrideSpec: boundedOverride({}) } }
  const derived = derive({
    kind,
    experiment: without,
    base,
    schema: knownValue(schema),
    replicas,
    role: 'control',
  })
  if (derived.is !== 'fork') return undefined
  const { fork } = derived
  return { kind, fork, hash: lazy(() => wholeForkHash(fork)) }
}

/** Creates the twin, or changes it to what is wanted. It does not grow if a policy denies that number of pods. */
function planSize(facts: Facts, wanted: Pick<DesiredFork, 'kind' | 'fork' | 'hash'>, planned: Plan): Plan {
  const { experiment, twin: known } = facts
  const { twin, policy } = planned.conclusion
  const replicas = replicasOf(wanted.fork)
  if (policy && replicas > (twin ? replicasOf(twin) : 0) && isTwinDenied(policy, replicas)) return planned
  const left = twin ? lastWriteOfTwin(twin, facts) : experiment.status?.analysis?.twin
  if (twin && (isBeingDeleted(twin) || !isChanged(twin, { experiment, wanted, left }))) return planned
  // Whether another client deleted or changed the twin since the last pass. A change of its metadata alone has no
  // generation: then nothing else is wanted, or the hash is gone.
  const isSame = (of: KubeObject) =>
    (isSameDerivation(of, wanted, experiment) && replicasOf(of) === replicas) ||
    !of.metadata.annotations?.[DERIVED_HASH]
  const isChangedByOthers = (of: KubeObject) => left?.uid === of.metadata.uid && (isSame(of) || !isAsWritten(of, left))
  const isRepair = left !== undefined && (!twin || isChangedByOthers(twin))
  const repairInMs = known?.repairInMs ?? 0
  if (isRepair && repairInMs > 0) return { ...planned, conclusion: { ...planned.conclusion, repairInMs } }
  const uid = twin?.metadata.uid
  const metadata = { ...wanted.fork.metadata, ...(uid === undefined ? {} : { uid }) }
  return withWrite(planned, [
    {
      verb: 'apply',
      role: twin ? 'twin' : 'newTwin',
      resource: wanted.kind,
      object: { ...wanted.fork, metadata },
      isRepair,
      isSameDerivation: twin !== undefined && isSameDerivation(twin, wanted, experiment),
    },
  ])
}

/**
 * `status.analysis.twin`. A twin that this pass did not write may have the change of another client: with the stored
 * generation, or none, the next pass finds it. While the creation of a deleted one waits, that one stays.
 */
export function twinStatus(facts: Facts, { twin, repairInMs }: Conclusion): { readonly twin?: TwinRef } {
  const { experiment, twin: before } = facts
  const stored = experiment.status?.analysis?.twin
  if (!twin) return stored && repairInMs !== undefined ? { twin: stored } : {}
  const { name, uid = '', generation = 0 } = twin.metadata
  const isWritten = twin !== knownValue(before?.object ?? { is: 'absent' })
  const left = lastWriteOfTwin(twin, facts)
  return { twin: { name, uid, generation: isWritten ? generation : left?.uid === uid ? left.generation : 0 } }
}
