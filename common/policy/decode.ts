import type { KubeObject } from '../api/object.ts'
import { isObject, objectOr } from '../json/json.ts'
import type { ExperimentPolicy, ExperimentPolicySpec, ExperimentPolicyStatus } from './policy.ts'

type Members<T> = { readonly [K in keyof Required<T>]: (value: unknown) => boolean }

const isCount = (value: unknown): boolean => typeof value === 'number'
const isText = (value: unknown): boolean => typeof value === 'string'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const oneOf =
  (...words: readonly string[]) =>
  (value: unknown): boolean =>
    words.some((word) => word === value)

const SPEC: Members<ExperimentPolicySpec> = {
  namespaceSelector: isObject,
  validationActions: (value) => Array.isArray(value) && value.every(oneOf('Deny', 'Warn', 'Audit')),
  maxReplicas: isCount,
  maxShare: isText,
  maxExperimentsPerSource: isCount,
  maxExperimentsPerNamespace: isCount,
  maxTTLSeconds: isCount,
  defaultTTLSeconds: isCount,
  allowedOverridePaths: isTexts,
  deniedOverridePaths: isTexts,
  allowedImages: isTexts,
  allowSourcesFrom: isTexts,
  sourceMissing: oneOf('Warn', 'Deny'),
}

const STATUS: Members<ExperimentPolicyStatus> = {
  observedGeneration: isCount,
  experiments: isCount,
  violations: isCount,
}

/**
 * The policy in a watched object: exactly the members that we use. The CRD's schema refuses members of another type, so
 * one is left out only in a cluster where somebody has loosened the CRD.
 */
export function decodePolicy(object: KubeObject): ExperimentPolicy {
  const { apiVersion, kind, metadata } = object
  const status = sound<ExperimentPolicyStatus>(STATUS, object.status)
  return {
    apiVersion,
    kind,
    metadata,
    spec: sound<ExperimentPolicySpec>(SPEC, object.spec),
    ...(Object.keys(status).length > 0 ? { status } : {}),
  }
}

function sound<T>(members: Members<T>, value: unknown): Partial<T> {
  const checks: Readonly<Record<string, (value: unknown) => boolean>> = members
  const kept = Object.entries(objectOr(value)).filter(
    ([key, each]) => Object.hasOwn(checks, key) && checks[key]?.(each),
  )
  return Object.fromEntries(kept) as Partial<T>
}
