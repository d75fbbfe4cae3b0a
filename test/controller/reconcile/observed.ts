import { FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { NO_NEIGHBOURS } from '../../../common/workload/neighbours.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import type { Observed } from '../../../controller/reconcile/observe.ts'
import { plan } from '../../../controller/reconcile/plan.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, FORK, NO_POLICIES } from '../../builders.ts'

/** `faster-cart` and its source as a pass sees them, but for `given`; no fork yet. */
export const anObserved = (given: Partial<Observed> = {}): Observed => ({
  now: new Date('2026-11-21T10:00:00Z'),
  experiment: anExperiment(),
  kind: deployment,
  isKindAbsent: false,
  source: aDeployment(),
  referents: [],
  pinned: undefined,
  repairAfterMs: 0,
  fork: undefined,
  occupant: undefined,
  schema: ANY_SCHEMA,
  traffic: { services: [], slices: [] },
  neighbours: NO_NEIGHBOURS,
  primary: undefined,
  referrer: undefined,
  isExcluded: false,
  policing: NO_POLICIES,
  ...given,
})

/** What would be applied. */
export const applied = (of: Partial<Observed> = {}) =>
  plan(anObserved(of)).actions.find((action) => action.do === 'apply')

/** The fork as the API server keeps it after an apply, with every pod available. */
export function theFork(of: Partial<Observed> = {}): KubeObject {
  const action = applied(of)
  if (!action) throw new Error('nothing would be applied')
  const replicas = replicasOf(action.fork)
  const managedFields = [{ manager: FIELD_MANAGER, operation: 'Apply' }]
  return {
    ...action.fork,
    metadata: { ...action.fork.metadata, uid: 'uid-of-fork', generation: 3, managedFields },
    status: { observedGeneration: 3, replicas, updatedReplicas: replicas, availableReplicas: replicas },
  }
}

/** A status by which the fork was left at `generation`. */
export const leftAt = (generation: number) => ({
  experimentResourceRef: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: FORK,
    namespace: 'shop',
    uid: 'uid-of-fork',
    generation,
  },
})
