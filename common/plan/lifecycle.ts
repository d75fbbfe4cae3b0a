import { expiresAt } from '../api/expiry.ts'
import { knownValue } from '../api/known.ts'
import { CONTROLLER_REVISION, EXPERIMENT_DEPLOYMENT, FORK_FINALIZER } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { duration } from '../text/duration.ts'
import {
  hasForkFinalizer,
  identityLabels,
  isBeingDeleted,
  isCrossNamespace,
  ownerReference,
} from '../workload/identity.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { isPinned, type Pinned } from '../workload/pinned.ts'
import type { DesiredFork } from './assess.ts'
import type { Conclusion, Plan } from './conclusion.ts'
import { waiting } from './decision.ts'
import type { Facts } from './facts.ts'
import type { Write } from './write.ts'

/**
 * Deletes the fork, then lets the experiment go. The finalizer is removed only after the fork was observed to be gone.
 */
export function planDeletion({ kind, fork, experiment }: Facts): Plan {
  const { kind: kindName, name } = experiment.spec.sourceRef
  const concluded = (message: string): Conclusion => ({
    ...waiting('Terminating', message),
    fork: knownValue(fork),
    source: undefined,
  })
  if (!hasForkFinalizer(experiment))
    return { writes: [], conclusion: { ...concluded('garbage collection deletes the fork'), is: 'unready' } }
  if (kind.is === 'unknown')
    return {
      writes: [],
      conclusion: concluded(`this version cannot say whether the fork of ${kindName}/${name} is gone`),
    }
  if (fork.is === 'unknown')
    return { writes: [], conclusion: concluded(`the fork could not be read now (${fork.because})`) }
  const adapter = knownValue(kind)
  if (fork.is === 'absent' || !adapter)
    return { writes: removeFinalizer(experiment), conclusion: { ...concluded('its fork is gone'), is: 'unready' } }
  const message = `${kindName.toLowerCase()}/${fork.value.metadata.name} is being deleted`
  return { writes: isBeingDeleted(fork.value) ? [] : [deleteFork(adapter, fork.value)], conclusion: concluded(message) }
}

/** Deletes the fork. The experiment stays and reports it; a higher `ttlSeconds` creates the fork again. */
export function planExpiry({ kind, fork, experiment }: Facts): Plan {
  const adapter = knownValue(kind)
  const writes = adapter && fork.is === 'known' ? [deleteFork(adapter, fork.value)] : []
  const message = expiryMessage(experiment)
  return { writes, conclusion: { is: 'unready', reason: 'Expired', message, fork: undefined, source: undefined } }
}

/** `expired 2h after creation (2026-11-21T14:05Z); raise spec.ttlSeconds to run it again` */
export const expiryMessage = (experiment: ExperimentDeployment): string =>
  `expired ${duration(experiment.spec.ttlSeconds ?? 0)} after creation ` +
  `(${toMinutes(expiresAt(experiment) ?? '')}); raise spec.ttlSeconds to run it again`

/** An RFC 3339 time without its seconds. */
export const toMinutes = (time: string): string => `${time.slice(0, 16)}Z`

const deleteFork = (kind: WorkloadKind, fork: KubeObject): Write => ({
  verb: 'delete',
  role: 'fork',
  resource: kind,
  of: fork,
})

/** A patch that reduces the replicas of the fork and changes nothing else. */
export const scaleDown = (kind: WorkloadKind, fork: KubeObject, replicas: number): Write => ({
  verb: 'patch',
  role: 'fork',
  resource: kind,
  of: fork,
  patch: { metadata: { uid: fork.metadata.uid ?? '' }, spec: { replicas } },
})

/**
 * Adds the finalizer before a fork in another namespace is created, because an owner reference cannot point to another
 * namespace. No write when it is not needed or is there already.
 */
export const addFinalizer = ({ experiment }: Pick<Facts, 'experiment'>): readonly Write[] =>
  isCrossNamespace(experiment) && !hasForkFinalizer(experiment)
    ? [finalizers(experiment, [...(experiment.metadata.finalizers ?? []), FORK_FINALIZER])]
    : []

const removeFinalizer = (experiment: ExperimentDeployment): readonly Write[] => [
  finalizers(
    experiment,
    (experiment.metadata.finalizers ?? []).filter((each) => each !== FORK_FINALIZER),
  ),
]

/** With uid and resourceVersion: a change since the read is a conflict, so that no other finalizer is lost. */
function finalizers(experiment: ExperimentDeployment, finalizers: readonly string[]): Write {
  const { uid, resourceVersion = '' } = experiment.metadata
  return {
    verb: 'patch',
    role: 'experiment',
    resource: EXPERIMENT_DEPLOYMENT,
    of: experiment,
    patch: { metadata: { uid, resourceVersion, finalizers } },
  }
}

/** Stores the pinned base before the fork is created; deletes it when the experiment follows its source again. */
export function baseWrites({ experiment, revision }: Facts, { base, fork }: DesiredFork): readonly Write[] {
  if (revision.is === 'known')
    return isPinned(experiment)
      ? []
      : [{ verb: 'delete', role: 'base', resource: CONTROLLER_REVISION, of: revision.value }]
  if (!isPinned(experiment) || revision.is === 'unknown') return []
  const object = revisionOf(experiment, fork.metadata.name, base)
  return [{ verb: 'create', role: 'base', resource: CONTROLLER_REVISION, object }]
}

/** The ControllerRevision that keeps `base`. It has the name of the fork, and the experiment owns it. */
const revisionOf = (experiment: ExperimentDeployment, name: string, base: Pinned): KubeObject => ({
  apiVersion: CONTROLLER_REVISION.apiVersion,
  kind: CONTROLLER_REVISION.kind,
  metadata: {
    name,
    namespace: experiment.metadata.namespace,
    labels: identityLabels(experiment),
    ownerReferences: [ownerReference(experiment)],
  },
  revision: 1,
  data: base,
})
