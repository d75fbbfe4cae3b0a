import { ABSENT, type Known, known, knownOrAbsent, unknown } from '../../../common/api/known.ts'
import { FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { Components, Facts, PolicyFacts, WrittenGeneration } from '../../../common/facts/facts.ts'
import { withHash } from '../../../common/fork/derive.ts'
import type { SpecSchema } from '../../../common/override/spec-schema.ts'
import type { DryRun } from '../../../common/strategy/promotion.ts'
import { type Neighbours, NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import type { TrafficView } from '../../../common/surroundings/traffic.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { WorkloadKind } from '../../../common/workload/kind.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import type { Write } from '../../../common/writes/write.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, FORK, installing, NO_POLICIES } from '../../builders.ts'
import { plan } from '../of-facts.ts'

/** What differs from the default facts. A member that is `undefined` is absent or unknown. */
export interface Given {
  readonly now?: Date
  readonly experiment?: ExperimentDeployment
  readonly kind?: Known<WorkloadKind>
  readonly schema?: SpecSchema | undefined
  readonly source?: KubeObject | undefined
  readonly revision?: KubeObject
  readonly fork?: KubeObject | undefined
  readonly nameHolder?: KubeObject
  readonly revisionHolder?: KubeObject
  readonly policies?: PolicyFacts | undefined
  readonly traffic?: TrafficView
  readonly neighbours?: Neighbours | undefined
  readonly isExcluded?: boolean
  readonly podRefusal?: string
  readonly podTrouble?: string
  readonly driftBackoffMs?: number
  readonly contestedMs?: number
  readonly unreported?: WrittenGeneration
  readonly dryRun?: DryRun
  readonly installed?: Components
}

/** The facts of one pass over `faster-cart`, which has no fork yet, changed by `given`. */
export function someFacts(given: Given = {}): Facts {
  const of = {
    schema: ANY_SCHEMA as SpecSchema | undefined,
    source: aDeployment() as KubeObject | undefined,
    policies: NO_POLICIES as PolicyFacts | undefined,
    neighbours: NO_NEIGHBOURS as Neighbours | undefined,
    ...given,
  }
  return {
    now: of.now ?? new Date('2026-11-21T10:00:00Z'),
    experiment: of.experiment ?? anExperiment(),
    installed: of.installed ?? installing('promotion'),
    kind: of.kind ?? known(deployment),
    schema: knownOrAbsent(of.schema),
    source: of.source ? known({ object: of.source, referents: [] }) : ABSENT,
    revision: knownOrAbsent(of.revision),
    fork: knownOrAbsent(of.fork),
    nameHolder: of.nameHolder,
    revisionHolder: of.revisionHolder,
    policies: of.policies ? known(of.policies) : unknown('nobody may read it'),
    surroundings: {
      traffic: known(of.traffic ?? { services: [], slices: [] }),
      neighbours: of.neighbours ? known(of.neighbours) : unknown('nobody can tell'),
      primary: ABSENT,
      referrer: ABSENT,
    },
    isExcluded: of.isExcluded ?? false,
    podRefusal: knownOrAbsent(of.podRefusal),
    podTrouble: knownOrAbsent(of.podTrouble),
    driftBackoffMs: of.driftBackoffMs ?? 0,
    contestedMs: of.contestedMs ?? 0,
    unreported: of.unreported,
    ...(of.dryRun ? { dryRun: of.dryRun } : {}),
  }
}

/** The write that applies the fork. */
export const applied = (of: Given = {}) =>
  plan(someFacts(of)).writes.find((write): write is Extract<Write, { verb: 'apply' }> => write.verb === 'apply')

/** The fork as stored after an apply, with every pod available. */
export function theFork(of: Given = {}): KubeObject {
  const write = applied(of)
  if (!write) throw new Error('nothing would be applied')
  const object = withHash(write.object)
  const replicas = replicasOf(object)
  const managedFields = [{ manager: FIELD_MANAGER, operation: 'Apply' }]
  return {
    ...object,
    metadata: { ...object.metadata, uid: 'uid-of-fork', generation: 3, managedFields },
    status: { observedGeneration: 3, replicas, updatedReplicas: replicas, availableReplicas: replicas },
  }
}

/** A status after a pass that left the fork at `generation`. */
export const leftAt = (generation: number) => ({
  observedGeneration: 1,
  experimentResourceRef: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: FORK,
    namespace: 'shop',
    uid: 'uid-of-fork',
    generation,
  },
})

/** `apply fork`, `patch experiment`: verb and role of each write. */
export const writesOf = (of: Given): readonly string[] =>
  plan(someFacts(of)).writes.map(({ verb, role }) => `${verb} ${role}`)
