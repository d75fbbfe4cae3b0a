import { soundMembers } from '../json/conform.ts'
import { isEmpty, isObject, objectOr } from '../json/json.ts'
import { anyText, arrayOf, flag, integer, map, narrowed, object, optional, time, word } from '../json/structure.ts'
import { isAnalysisStatus, malformed } from './analysis/decode.ts'
import { ANALYSIS_STATUS } from './analysis/structures.ts'
import {
  COMMAND_ANSWERS,
  type CommandStatus,
  PROMOTION_MODES,
  type PromotionStatus,
  RUN_PATHS,
  RUN_PHASES,
  type RunWeight,
  type ScaledSource,
  type SeenSource,
  type StoredSource,
  type StrategyRunStatus,
} from './strategy.ts'
import type {
  Condition,
  ExperimentDeploymentStatus,
  ExperimentResourceRef,
  FieldError,
  ServiceShare,
  SourceStatus,
  Warning,
} from './types.ts'

const some = anyText()
const int32 = integer('int32')
const generation = integer('int64')
/** One of `words`. The CRD does not ask for that. */
const wordOf = <Word extends string>(words: readonly Word[]) => narrowed(word(words), some)

/** `status.conditions` of our kinds */
export const CONDITIONS = arrayOf(
  object<Condition>({
    type: anyText(316),
    status: narrowed(some, word(['True', 'False', 'Unknown'])),
    ...{ reason: anyText(1_024), message: anyText(32_768) },
    observedGeneration: optional(generation),
    lastTransitionTime: time,
  }),
)

const SERVICE = object<ServiceShare>({
  name: some,
  selected: flag,
  ...{ reason: optional(some), message: optional(some), share: optional(some) },
  ...{ experimentEndpoints: int32, readyEndpoints: int32 },
})

const RUN = object<StrategyRunStatus>({
  ...{ run: some, wholeRun: optional(some) },
  ...{ revision: some, wholeRevision: optional(some), approvedRevision: optional(some) },
  path: wordOf(RUN_PATHS),
  phase: wordOf(RUN_PHASES),
  ...{ stepIndex: int32, stepName: some, since: some },
  attempt: optional(int32),
  held: optional(flag),
  cause: optional(some),
  seen: optional(object<SeenSource>({ values: some, shown: optional(map(some)), revision: optional(some) })),
  scaled: optional(
    object<ScaledSource>({
      ...{ uid: some, size: int32, written: int32 },
      replaced: optional(object<NonNullable<ScaledSource['replaced']>>({ size: int32, written: int32 })),
      ...{ isReturning: optional(flag), changedFrom: optional(int32) },
    }),
  ),
  command: optional(
    object<CommandStatus>({
      ...{ verb: some, at: optional(some), by: optional(some) },
      answer: wordOf(COMMAND_ANSWERS),
      message: some,
    }),
  ),
  step: some,
  weight: optional(object<RunWeight>({ desired: int32, actual: optional(int32) })),
})

const STORED_SOURCE = object<StoredSource>({ uid: some, generation, hash: optional(some) })

const PROMOTION_STATUS = object<PromotionStatus>({
  mode: wordOf(PROMOTION_MODES),
  declaredBy: optional(some),
  record: optional(
    object<NonNullable<PromotionStatus['record']>>({ name: some, hash: some, wholeHash: optional(some) }),
  ),
  written: optional(STORED_SOURCE),
  restored: optional(STORED_SOURCE),
  patch: optional(some),
})

/** How many violated policies a status names: more help nobody. */
export const MAX_VIOLATED = 8

/** The `status` of an experiment. */
export const EXPERIMENT_STATUS = object<ExperimentDeploymentStatus>({
  observedGeneration: optional(generation),
  conditions: optional(CONDITIONS),
  experimentResourceRef: optional(
    object<ExperimentResourceRef>({
      ...{ apiVersion: some, kind: some, name: some, namespace: some, uid: some },
      generation,
      wholeHash: optional(some),
    }),
  ),
  ...{ replicas: optional(int32), readyReplicas: optional(int32), selector: optional(some) },
  source: optional(
    object<SourceStatus>({
      ...{ uid: some, generation, revision: optional(some), templateHash: some },
      base: optional(some),
      pinned: optional(flag),
    }),
  ),
  services: optional(arrayOf(SERVICE)),
  warnings: optional(arrayOf(object<Warning>({ reason: some, message: some }))),
  strategy: optional(RUN),
  promotion: optional(PROMOTION_STATUS),
  ...{ sourceName: optional(some), share: optional(some), image: optional(some), pods: optional(some) },
  ...{ changes: optional(some), aloneSince: optional(some), expiresAt: optional(some) },
  analysis: optional(ANALYSIS_STATUS),
  violatedPolicies: optional(arrayOf(some, MAX_VIOLATED)),
})

/**
 * The members of a stored status that have the types we write; the others are left out, as if we had never written
 * them. The CRD's schema has checked them, but whoever may write the status of a resource wrote it. Undefined without
 * any.
 */
export function decodeStatus(stored: unknown): ExperimentDeploymentStatus | undefined {
  const { analysis, ...others } = objectOr(stored)
  const status = { ...soundMembers(others, EXPERIMENT_STATUS), ...(isAnalysisStatus(analysis) ? { analysis } : {}) }
  return isEmpty(status) ? undefined : status
}

/** What of a stored status has not the types that we write: the first mistake in each member that is left out. */
export function unsoundInStatus(stored: unknown): readonly Pick<FieldError, 'field' | 'message'>[] {
  if (stored === undefined || stored === null) return []
  if (!isObject(stored)) return [{ field: 'status', message: 'must be an object' }]
  const decoded = objectOr(decodeStatus(stored))
  return Object.keys(EXPERIMENT_STATUS.members)
    .filter((key) => Object.hasOwn(stored, key) && !Object.hasOwn(decoded, key))
    .map((key) => {
      const [first] = malformed({ [key]: stored[key] }, EXPERIMENT_STATUS, 'status')
      return first ?? { field: `status.${key}`, message: 'has a member that is null' }
    })
}
