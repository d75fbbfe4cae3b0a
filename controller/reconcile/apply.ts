import type { KubeObject } from '../../common/api/object.ts'
import { KubeError } from '../../common/kube/errors.ts'
import { forkHealth } from '../../common/workload/health.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { type Outcome, verdictOf } from './outcome.ts'
import type { Action, Plan } from './plan.ts'

/** What `apply` asks of the cluster. */
export interface WorkloadWrites {
  /** server-side apply; answers the object as stored. @throws KubeError */
  applyFork(kind: WorkloadKind, fork: KubeObject, options: { readonly force: boolean }): Promise<KubeObject>
}

/**
 * Writes what `plan` says and answers what came of it.
 * @throws KubeError for what has no meaning for the user: an unreachable API server, a lost race
 */
export async function apply(kube: WorkloadWrites, { actions, outcome }: Plan): Promise<Outcome> {
  let result = outcome
  for (const action of actions) result = await applyFork(kube, action, result)
  return result
}

async function applyFork(kube: WorkloadWrites, { kind, fork, exists }: Action, planned: Outcome): Promise<Outcome> {
  try {
    const stored = await kube.applyFork(kind, fork, { force: exists })
    const health = forkHealth(kind, stored)
    const { reason, message } = health.reason === 'Updating' ? planned : health
    return { ...planned, ...verdictOf(health), reason, message, fork: stored }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return refusal(error, planned, exists)
  }
}

/** @throws KubeError when only another look can tell */
function refusal(error: KubeError, planned: Outcome, exists: boolean): Outcome {
  const { fork, source } = planned
  const { message } = error
  switch (error.kind) {
    case 'invalid':
    case 'forbidden':
      return { is: 'stalled', reason: 'ApplyRefused', message, fork, source }
    case 'conflict':
    case 'alreadyExists':
      // an object of the fork's name came between look and apply, or the fork went: the next look sees which
      if (exists) throw error
      return { is: 'waiting', retryAfterMs: 1_000, reason: 'NameConflict', message, fork, source }
    case 'terminating': // the namespace takes both with it
      return { is: 'unready', reason: 'ApplyRefused', message, fork, source }
    case 'server': // somebody's admission webhook, as a rule
      return { is: 'failed', reason: 'ApplyFailed', message, fork, source }
    default:
      throw error
  }
}
