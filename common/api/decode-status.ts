import { isEmpty, isObject } from '../json/json.ts'
import {
  each,
  isBoolean,
  isNumber,
  isText,
  listOf,
  type Members,
  objectWith,
  oneOf,
  orAbsent,
  soundMembers,
} from '../json/members.ts'
import { isAnalysisStatus } from './analysis/decode.ts'
import {
  COMMAND_ANSWERS,
  type CommandStatus,
  PROMOTION_MODES,
  type PromotionStatus,
  RUN_PATHS,
  RUN_PHASES,
  type RunWeight,
  type SeenSource,
  type StoredSource,
  type StrategyRunStatus,
} from './strategy.ts'
import type {
  Condition,
  ExperimentDeploymentStatus,
  ExperimentResourceRef,
  ServiceShare,
  SourceStatus,
  Warning,
} from './types.ts'

/** Whether a stored value is a condition. */
export const isCondition = objectWith<Condition>({
  ...each(isText, 'type', 'status', 'reason', 'message', 'lastTransitionTime'),
  observedGeneration: orAbsent(isNumber),
})

const isSource = objectWith<SourceStatus>({
  ...each(isText, 'uid', 'templateHash'),
  ...each(orAbsent(isText), 'revision', 'base'),
  generation: isNumber,
  pinned: orAbsent(isBoolean),
})

const isService = objectWith<ServiceShare>({
  name: isText,
  selected: isBoolean,
  ...each(orAbsent(isText), 'reason', 'message', 'share'),
  ...each(isNumber, 'experimentEndpoints', 'readyEndpoints'),
})

const isRun = objectWith<StrategyRunStatus>({
  ...each(isText, 'run', 'revision', 'stepName', 'since', 'step'),
  ...each(orAbsent(isText), 'wholeRun', 'wholeRevision', 'approvedRevision', 'cause'),
  path: oneOf(RUN_PATHS),
  phase: oneOf(RUN_PHASES),
  stepIndex: isNumber,
  attempt: orAbsent(isNumber),
  held: orAbsent(isBoolean),
  command: orAbsent(
    objectWith<CommandStatus>({
      ...each(isText, 'verb', 'message'),
      ...each(orAbsent(isText), 'at', 'by'),
      answer: oneOf(COMMAND_ANSWERS),
    }),
  ),
  seen: orAbsent(
    objectWith<SeenSource>({
      values: isText,
      shown: orAbsent((value) => isObject(value) && Object.values(value).every(isText)),
      revision: orAbsent(isText),
    }),
  ),
  weight: orAbsent(objectWith<RunWeight>({ desired: isNumber, actual: orAbsent(isNumber) })),
})

const isPromotionStatus = objectWith<PromotionStatus>({
  mode: oneOf(PROMOTION_MODES),
  ...each(orAbsent(isText), 'declaredBy', 'patch'),
  record: orAbsent(objectWith({ ...each(isText, 'name', 'hash'), wholeHash: orAbsent(isText) })),
  ...each(
    orAbsent(objectWith<StoredSource>({ uid: isText, generation: isNumber, hash: orAbsent(isText) })),
    'written',
    'restored',
  ),
})

const STATUS: Members<ExperimentDeploymentStatus> = {
  ...each(isNumber, 'observedGeneration', 'replicas', 'readyReplicas'),
  ...each(isText, 'selector', 'sourceName', 'share', 'image', 'pods', 'changes', 'aloneSince', 'expiresAt'),
  conditions: listOf(isCondition),
  experimentResourceRef: objectWith<ExperimentResourceRef>({
    ...each(isText, 'apiVersion', 'kind', 'name', 'namespace', 'uid'),
    generation: isNumber,
    wholeHash: orAbsent(isText),
  }),
  source: isSource,
  strategy: isRun,
  promotion: isPromotionStatus,
  analysis: isAnalysisStatus,
  services: listOf(isService),
  warnings: listOf(objectWith<Warning>(each(isText, 'reason', 'message'))),
}

/**
 * The members of a stored status that have the types we write; the others are left out, as if we had never written
 * them. The CRD's schema has checked them, but whoever may write the status of a resource wrote it. Undefined without
 * any.
 */
export function decodeStatus(stored: unknown): ExperimentDeploymentStatus | undefined {
  const status = soundMembers(stored, STATUS)
  return isEmpty(status) ? undefined : status
}
