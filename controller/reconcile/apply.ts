import type { KubeObject } from '../../common/api/object.ts'
import type { Reason } from '../../common/api/reasons.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { KubeError } from '../../common/kube/errors.ts'
import { forkHealth } from '../../common/workload/health.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import type { Pinned } from '../../common/workload/pinned.ts'
import { type Outcome, type Verdict, verdictOf } from './outcome.ts'
import type { Action, Plan } from './plan.ts'

/** What `apply` asks of the cluster. */
export interface WorkloadWrites {
  /** server-side apply; answers the object as stored. @throws KubeError */
  applyFork(kind: WorkloadKind, fork: KubeObject, options: { readonly force: boolean }): Promise<KubeObject>
  /** deletes that very object, by uid. Resolves also if it is gone already. @throws KubeError */
  deleteFork(kind: WorkloadKind, fork: KubeObject): Promise<void>
  /** creates the ControllerRevision `name`, owned by `experiment`. @throws KubeError */
  pin(experiment: ExperimentDeployment, name: string, data: Pinned): Promise<void>
  /** deletes that ControllerRevision, by uid. @throws KubeError */
  unpin(revision: KubeObject): Promise<void>
  /** sets the replicas of that very fork and nothing else; answers the object as stored. @throws KubeError */
  shrinkFork(kind: WorkloadKind, fork: KubeObject, replicas: number): Promise<KubeObject>
  /** puts our finalizer on the resource as it was observed. @throws KubeError */
  hold(experiment: ExperimentDeployment): Promise<void>
  /** takes it off. @throws KubeError */
  release(experiment: ExperimentDeployment): Promise<void>
  /** at once; false if another one took a place since */
  takePlace(experiment: ExperimentDeployment, replicas: number, asOf: number): boolean
  /** remembers that a change of somebody else's was undone */
  repaired(fork: KubeObject): void
}

/**
 * Writes what `plan` says and answers what came of it.
 * @throws KubeError for what has no meaning for the user: an unreachable API server, a lost race
 */
export async function apply(kube: WorkloadWrites, { actions, outcome }: Plan, now: Date): Promise<Outcome> {
  let result = outcome
  for (const action of actions) {
    try {
      result = await perform(kube, action, { planned: result, now })
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      return refusal(error, result, action.do === 'apply' ? action.exists : action.do !== 'pin')
    }
  }
  return result
}

interface Planned {
  readonly planned: Outcome
  readonly now: Date
}

async function perform(kube: WorkloadWrites, action: Action, of: Planned): Promise<Outcome> {
  switch (action.do) {
    case 'apply':
      return applyFork(kube, action, of)
    case 'delete':
      await kube.deleteFork(action.kind, action.fork)
      return of.planned
    case 'pin':
      await kube.pin(action.experiment, action.name, action.data)
      return of.planned
    case 'unpin':
      await kube.unpin(action.revision)
      return of.planned
    case 'hold':
      await kube.hold(action.experiment)
      return of.planned
    case 'release':
      await kube.release(action.experiment)
      return { ...of.planned, is: 'unready' }
    case 'shrink':
      return { ...of.planned, fork: await kube.shrinkFork(action.kind, action.fork, action.replicas) }
    case 'take':
      if (kube.takePlace(action.experiment, action.replicas, action.asOf)) return of.planned
      throw new KubeError({ kind: 'conflict', message: 'another experiment took a place meanwhile' })
  }
}

type Apply = Extract<Action, { do: 'apply' }>

async function applyFork(kube: WorkloadWrites, action: Apply, { planned, now }: Planned): Promise<Outcome> {
  const { kind, fork, exists, isRepair } = action
  if (isRepair) kube.repaired(fork)
  const stored = await kube.applyFork(kind, fork, { force: exists })
  const health = forkHealth(kind, stored, now)
  const { reason, message } = health.reason === 'Updating' ? planned : health
  return { ...planned, ...verdictOf(health), reason, message, fork: stored }
}

/** @throws KubeError when only another look can tell */
function refusal(error: KubeError, planned: Outcome, exists: boolean): Outcome {
  const { message } = error
  const told = (verdict: Verdict, reason: Reason): Outcome => ({ ...planned, ...verdict, reason, message })
  switch (error.kind) {
    case 'invalid':
      return told({ is: 'stalled' }, isImmutable(message) ? 'ImmutableFieldChanged' : 'ApplyRefused')
    case 'forbidden':
      return told({ is: 'stalled' }, 'ApplyRefused')
    case 'conflict':
    case 'alreadyExists':
      // an object of the fork's name came between look and apply, or the fork went: the next look sees which
      if (exists) throw error
      return told({ is: 'waiting', retryAfterMs: 1_000 }, 'NameConflict')
    case 'terminating': // the namespace takes both with it
      return told({ is: 'unready' }, 'ApplyRefused')
    case 'server': // somebody's admission webhook, as a rule
      return told({ is: 'failed' }, 'ApplyFailed')
    default:
      throw error
  }
}

/** The API server has no cause of its own for it: these are the words of its validation. */
const isImmutable = (message: string): boolean =>
  /field is immutable|updates to \w+ spec for fields other than/.test(message)
