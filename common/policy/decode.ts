import { CONDITIONS } from '../api/decode-status.ts'
import { MAX_TTL_SECONDS } from '../api/expiry.ts'
import { LABEL_SELECTOR } from '../api/label-selector.ts'
import type { KubeObject } from '../api/object.ts'
import { PROMOTION_MODES } from '../api/strategy.ts'
import { anyObjectName, namespaceName } from '../api/structures.ts'
import { soundMembers } from '../json/conform.ts'
import { isEmpty } from '../json/json.ts'
import {
  anyObject,
  anyText,
  arrayOf,
  flag,
  integer,
  narrowed,
  object,
  optional,
  text,
  word,
} from '../json/structure.ts'
import { MAX_PATTERN } from '../override/path.ts'
import {
  type ExperimentPolicy,
  type ExperimentPolicySpec,
  type ExperimentPolicyStatus,
  VALIDATION_ACTIONS,
} from './policy.ts'

const count = optional(integer('int32', 0))
const seconds = optional(integer('int64', 1, MAX_TTL_SECONDS))
const patterns = optional(arrayOf(text(MAX_PATTERN), 64))

/** The `spec` of a policy. */
export const POLICY_SPEC = object<ExperimentPolicySpec>({
  namespaceSelector: optional(narrowed(anyObject, LABEL_SELECTOR), {}),
  validationActions: optional(arrayOf(word(VALIDATION_ACTIONS), VALIDATION_ACTIONS.length, 1), ['Deny']),
  maxReplicas: count,
  maxShare: optional(anyText(4)),
  ...{ maxExperimentsPerSource: count, maxExperimentsPerNamespace: count },
  ...{ maxTTLSeconds: seconds, defaultTTLSeconds: seconds },
  ...{ allowedOverridePaths: patterns, deniedOverridePaths: patterns, allowedImages: patterns },
  allowSourcesFrom: optional(arrayOf(namespaceName, 256)),
  sourceMissing: optional(word(['Warn', 'Deny']), 'Warn'),
  aloneBehindService: optional(word(['Allow', 'Deny']), 'Allow'),
  promotionModes: optional(arrayOf(word(PROMOTION_MODES), PROMOTION_MODES.length)),
  ...{ approverNotRequester: optional(flag), requireRevision: optional(flag), requireAnalysis: optional(flag) },
  allowedProviders: optional(arrayOf(anyObjectName, 64)),
  ...{ allowTimeoutPromotion: optional(flag), allowScaleDownSource: optional(flag) },
})

const number = optional(integer('int32'))

/** The `status` of a policy. */
export const POLICY_STATUS = object<ExperimentPolicyStatus>({
  observedGeneration: optional(integer('int64')),
  ...{ experiments: number, violations: number, actions: optional(anyText()) },
  conditions: optional(CONDITIONS),
})

/**
 * The policy in a watched object: exactly the members that we use. The CRD's schema refuses members of another type, so
 * one is left out only in a cluster where somebody has loosened the CRD.
 */
export function decodePolicy(stored: KubeObject): ExperimentPolicy {
  const { apiVersion, kind, metadata } = stored
  const status = soundMembers(stored.status, POLICY_STATUS)
  return {
    apiVersion,
    kind,
    metadata,
    spec: soundMembers(stored.spec, POLICY_SPEC),
    ...(isEmpty(status) ? {} : { status }),
  }
}
