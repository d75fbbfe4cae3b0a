import { isFinal } from '../analysis/run/look.ts'
import { hasEnded } from '../analysis/run/records.ts'
import type { TwinRef } from '../api/analysis/analysis.ts'
import { boundedOverride } from '../api/decode.ts'
import { knownValue } from '../api/known.ts'
import { DERIVED_HASH } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { AnalysisState } from '../assess/analysis.ts'
import type { Assessment, DesiredFork } from '../assess/assess.ts'
import { type Facts, isAsWritten, lastWriteOfTwin } from '../facts/facts.ts'
import { lazy } from '../facts/lazy.ts'
import { derive, wholeForkHash } from '../fork/derive.ts'
import type { Conclusion } from '../outcome/conclusion.ts'
import type { Part } from '../outcome/part.ts'
import { isTwinDenied } from '../outcome/policy-decision.ts'
import { leaving } from '../run/leaving.ts'
import type { Situation } from '../situation/situation.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import { replicasOf } from '../workload/status.ts'
import type { Write } from '../writes/write.ts'
import { isChanged, isSameDerivation } from './occasion.ts'

/** The wanted fork, and its analysis. Both are undefined when the experiment ends. */
export interface AnalyzedFork {
  readonly assessment?: Assessment | undefined
  readonly analysis?: AnalysisState | undefined
}

/**
 * What the twin adds: a second fork without the override, as large as the present fork, while the analysis run goes on.
 * It leaves as soon as no analysis compares it any more.
 */
export function twinPart({ facts, installed, isWriting }: Situation, of: AnalyzedFork, conclusion: Conclusion): Part {
  const { twin: known, experiment } = facts
  const twin = knownValue(known?.object ?? { is: 'absent' })
  if (!known || known.object.is === 'unknown') return {}
  const isAsked = installed.analysis && experiment.spec.analysis?.control === 'Twin'
  const replicas = replicasNow(facts, conclusion)
  // The fork cannot be derived now, and stays as it is. So does its twin.
  const isUnclear = of.assessment !== undefined && of.analysis === undefined && !isWriting
  const staying: Part = twin ? { conclusion: { twin } } : {}
  if (isAsked && isUnclear && replicas > 0) return staying
  const isCompared = isAsked && isGoingOn(of.analysis) && replicas > 0
  if (!isCompared) return twin ? leavingPart(facts, twin, conclusion) : {}
  if (conclusion.is !== 'settled' || of.assessment?.is !== 'wanted') return staying
  const wanted = desiredTwin(facts, of.assessment, replicas)
  return wanted ? sizedPart(facts, wanted, { twin, conclusion }) : staying
}

/** The twin is as large as the fork is now. A fork that gets other pods in this pass is followed in the next one. */
const replicasNow = ({ fork }: Facts, conclusion: Conclusion): number =>
  conclusion.fork && fork.is === 'known' ? replicasOf(fork.value) : 0

const isGoingOn = (analysis: AnalysisState | undefined): boolean =>
  analysis?.run !== undefined && !hasEnded(analysis.run) && !isFinal(analysis.run.status, analysis.spec)

/** Takes the twin away. Until it is deleted, the status names it. */
function leavingPart(facts: Facts, twin: KubeObject, conclusion: Conclusion): Part {
  const { kind, now, twin: known } = facts
  const resource = knownValue(kind)
  if (!resource) return {}
  const { leavingMs, repairInMs } = known ?? {}
  const isRefilled = leavingMs !== undefined && !isAsWritten(twin, lastWriteOfTwin(twin, facts))
  const repair = isRefilled ? { repairInMs } : {}
  const { write, leaving: of } = leaving(resource, twin, { role: 'twin', now, leavingMs, ...repair })
  return {
    writes: write ? [write] : [],
    ...(of ? { conclusion: { twin, leaving: [...(conclusion.leaving ?? []), of] } } : {}),
  }
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

interface PresentTwin {
  readonly twin: KubeObject | undefined
  readonly conclusion: Conclusion
}

/** Creates the twin, or changes it to what is wanted. It does not grow if a policy denies that number of pods. */
function sizedPart(
  facts: Facts,
  wanted: Pick<DesiredFork, 'kind' | 'fork' | 'hash'>,
  { twin, conclusion: { policy } }: PresentTwin,
): Part {
  const { experiment, twin: known } = facts
  const conclusion = twin ? { twin } : {}
  const replicas = replicasOf(wanted.fork)
  if (policy && replicas > (twin ? replicasOf(twin) : 0) && isTwinDenied(policy, replicas)) return { conclusion }
  const left = twin ? lastWriteOfTwin(twin, facts) : experiment.status?.analysis?.twin
  if (twin && (isBeingDeleted(twin) || !isChanged(twin, { experiment, wanted, left }))) return { conclusion }
  // Whether another client deleted or changed the twin since the last pass. A change of its metadata alone has no
  // generation: then nothing else is wanted, or the hash is gone.
  const isSame = (of: KubeObject) =>
    (isSameDerivation(of, wanted, experiment) && replicasOf(of) === replicas) ||
    !of.metadata.annotations?.[DERIVED_HASH]
  const isChangedByOthers = (of: KubeObject) => left?.uid === of.metadata.uid && (isSame(of) || !isAsWritten(of, left))
  const isRepair = left !== undefined && (!twin || isChangedByOthers(twin))
  const repairInMs = known?.repairInMs ?? 0
  if (isRepair && repairInMs > 0) return { conclusion: { ...conclusion, repairInMs } }
  const uid = twin?.metadata.uid
  const metadata = { ...wanted.fork.metadata, ...(uid === undefined ? {} : { uid }) }
  const write: Write = {
    verb: 'apply',
    role: twin ? 'twin' : 'newTwin',
    resource: wanted.kind,
    object: { ...wanted.fork, metadata },
    isRepair,
    isSameDerivation: twin !== undefined && isSameDerivation(twin, wanted, experiment),
  }
  return { writes: [write], conclusion }
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
