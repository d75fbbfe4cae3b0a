import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import { SCALED } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import { type SizeRecord, sizeRecordOf } from '../../common/scaling/record.ts'
import { count } from '../../common/text/count.ts'
import { shortNameOf } from '../../common/text/short-name.ts'
import { idInName } from '../../common/workload/any-fork.ts'
import { experimentId, isBeingDeleted, isFork, ROLES, roleUid } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'

/** The workloads of one kind. */
export interface CachedWorkloads {
  readonly kind: WorkloadKind
  /** whole objects that have the label of forks */
  readonly forks: Pick<Reflector<KubeObject>, 'list'>
  /** the metadata of all others */
  readonly others: Pick<Reflector<KubeObject>, 'list' | 'isAbsent'>
}

/** Where an object is. */
export interface Place {
  readonly namespace: string
  readonly name: string
}

/** A Deployment with the label of a canary that has made it smaller, as the caches have it. */
export interface LabelledSource extends Place {
  readonly kind: WorkloadKind
  /** the value of the label */
  readonly label: string
  readonly record: SizeRecord
}

/** The Deployments of the caches with that label. A value that is not ours, and a label on a fork, say nothing. */
export function labelledSources(workloads: readonly CachedWorkloads[]): readonly LabelledSource[] {
  const deployments = workloads.find(({ kind }) => kind.kind === 'Deployment')
  if (!deployments) return []
  const { kind, forks, others } = deployments
  return [...forks.list(), ...others.list()].flatMap((object) => {
    const { namespace = '', name, labels } = object.metadata
    const label = labels?.[SCALED]
    const record = label === undefined || isFork(object) ? undefined : sizeRecordOf({ ...object, kind: kind.kind })
    return record && label !== undefined ? [{ kind, namespace, name, label, record }] : []
  })
}

/** Whether `experiment` names the Deployment at this place as its source. It cannot change that. */
export function isSourceOf(experiment: ExperimentDeployment, { namespace, name }: Place): boolean {
  const { sourceRef } = experiment.spec
  return sourceRef.kind === 'Deployment' && sourceRef.name === name && sourceNamespaceOf(experiment) === namespace
}

/**
 * Why `fork`, whose experiment is gone, must keep its pods: one of `sources` is smaller because of that experiment, or
 * has not yet got its pods back. Undefined if it need not. A source that is being deleted needs no fork.
 */
export function neededBy(fork: KubeObject, sources: readonly KubeObject[]): string | undefined {
  const id = idInName(fork.metadata.name)
  for (const source of sources) {
    const record = isBeingDeleted(source) ? undefined : sizeRecordOf(source)
    const ids = record ? ROLES.map((role) => experimentId(roleUid(record.experiment, role))) : []
    if (record && id !== undefined && ids.includes(id))
      return `this fork stays until ${shortNameOf(source)} has its ${count(record.size, 'pod')} again`
  }
  return undefined
}
