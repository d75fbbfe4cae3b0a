import { isCondition } from '../api/decode-status.ts'
import type { KubeObject } from '../api/object.ts'
import { PROMOTION_MODES } from '../api/strategy.ts'
import { isEmpty, isObject } from '../json/json.ts'
import { each, isBoolean, isNumber, isText, listOf, type Members, oneOf, soundMembers } from '../json/members.ts'
import {
  type ExperimentPolicy,
  type ExperimentPolicySpec,
  type ExperimentPolicyStatus,
  VALIDATION_ACTIONS,
} from './policy.ts'

const SPEC: Members<ExperimentPolicySpec> = {
  ...each(isNumber, 'maxReplicas', 'maxExperimentsPerSource', 'maxExperimentsPerNamespace'),
  ...each(isNumber, 'maxTTLSeconds', 'defaultTTLSeconds'),
  ...each(listOf(isText), 'allowedOverridePaths', 'deniedOverridePaths', 'allowedImages', 'allowSourcesFrom'),
  allowedProviders: listOf(isText),
  maxShare: isText,
  namespaceSelector: isObject,
  validationActions: listOf(oneOf(VALIDATION_ACTIONS)),
  sourceMissing: oneOf(['Warn', 'Deny']),
  aloneBehindService: oneOf(['Allow', 'Deny']),
  promotionModes: listOf(oneOf(PROMOTION_MODES)),
  ...each(isBoolean, 'approverNotRequester', 'requireRevision', 'requireAnalysis', 'allowTimeoutPromotion'),
}

const STATUS: Members<ExperimentPolicyStatus> = {
  ...each(isNumber, 'observedGeneration', 'experiments', 'violations'),
  actions: isText,
  conditions: listOf(isCondition),
}

/**
 * The policy in a watched object: exactly the members that we use. The CRD's schema refuses members of another type, so
 * one is left out only in a cluster where somebody has loosened the CRD.
 */
export function decodePolicy(object: KubeObject): ExperimentPolicy {
  const { apiVersion, kind, metadata } = object
  const status = soundMembers(object.status, STATUS)
  return {
    apiVersion,
    kind,
    metadata,
    spec: soundMembers(object.spec, SPEC),
    ...(isEmpty(status) ? {} : { status }),
  }
}
