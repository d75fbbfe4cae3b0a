import { at, isObject, type JsonObject, listOr, member, textOr } from '../json/json.ts'
import { countUpTo, each, isNumber, isText, oneOf, orAbsent, soundMembers } from '../json/members.ts'
import { analysisIn, malformedAnalysis } from './analysis/decode.ts'
import { decodeStatus } from './decode-status.ts'
import { isPromotion, isStrategy, isTraffic, promotionSpecIn, strategyIn, trafficIn } from './decode-strategy.ts'
import { DEFAULTS, MAX_REPLICAS, OVERRIDE_TYPES, SOURCE_CHANGES } from './defaults.ts'
import { MAX_TTL_SECONDS } from './expiry.ts'
import { brokenLimits } from './limits.ts'
import { COMMAND, COMMAND_BY, COMMAND_SAW, REQUESTED_BY, REVIEWED_REPLICAS, REVIEWED_TEMPLATE } from './names.ts'
import type { ManagedFieldsEntry } from './object.ts'
import type { BoundedOverride, ExperimentDeployment, ExperimentDeploymentSpec, FieldError, SourceRef } from './types.ts'

/** As in a path: never empty, `.` or `..`. */
const isName = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value)

/** What members of `spec` must be, in words. */
const EXPECTATIONS = [
  { path: ['sourceRef', 'kind'], expected: 'a string', holds: isText },
  { path: ['sourceRef', 'name'], expected: 'the name of a workload', holds: isName },
  { path: ['sourceRef', 'namespace'], expected: 'the name of a namespace', holds: orAbsent(isName) },
  { path: ['overrideSpec'], expected: 'an object; write {} for no difference', holds: isObject },
  { path: ['overrideType'], expected: OVERRIDE_TYPES.join(' or '), holds: orAbsent(oneOf(OVERRIDE_TYPES)) },
  { path: ['onSourceChange'], expected: SOURCE_CHANGES.join(' or '), holds: orAbsent(oneOf(SOURCE_CHANGES)) },
  {
    path: ['replicas'],
    expected: `a whole number from 0 to ${MAX_REPLICAS}`,
    holds: orAbsent(countUpTo(MAX_REPLICAS)),
  },
  {
    path: ['ttlSeconds'],
    expected: `a whole number of seconds, at most ${MAX_TTL_SECONDS}`,
    holds: orAbsent(countUpTo(MAX_TTL_SECONDS)),
  },
  {
    path: ['strategy'],
    expected: 'a canary, such as {} or one with steps of setWeight or pause, or a blueGreen with an activeService',
    holds: orAbsent(isStrategy),
  },
  { path: ['traffic'], expected: 'a mode, such as {mode: Gated}', holds: orAbsent(isTraffic) },
  { path: ['promotion'], expected: 'a mode, such as {mode: Manual}', holds: orAbsent(isPromotion) },
]

/**
 * One of our resources with exactly the members that we use, or what keeps it from being one. The CRD's schema has
 * checked the types before; a cluster with a loosened schema gets an error message, not an internal error. An override
 * beyond `OVERRIDE_LIMITS` is replaced by an empty one, so that nothing can merge or print it. `overrideErrors` says
 * what is wrong with it. `namespace` is that of the request: an object in a review may lack its own.
 */
export function decodeExperiment(object: Readonly<Record<string, unknown>>, namespace: string) {
  // null counts as absent: the CRD prunes it before it fills in defaults
  const broken = EXPECTATIONS.filter(({ path, holds }) => !holds(at(object, 'spec', ...path) ?? undefined))
  const analysis = at(object, 'spec', 'analysis') ?? undefined
  const errors = [...broken.map(mistyped), ...(analysis === undefined ? [] : malformedAnalysis(analysis))]
  if (errors.length > 0) return { is: 'malformed', errors } as const
  const overrideErrors = brokenLimits(at(object, 'spec', 'overrideSpec'))
  const status = decodeStatus(object.status)
  const experiment: ExperimentDeployment = {
    apiVersion: textOr(object.apiVersion, ''),
    kind: textOr(object.kind, ''),
    metadata: { ...metadataIn(object), namespace },
    spec: specIn(object, overrideErrors.length === 0),
    ...(status === undefined ? {} : { status }),
    ...(overrideErrors.length > 0 ? { overrideErrors } : {}),
  }
  return { is: 'experiment', experiment } as const
}

/** `overrideSpec` that the program itself wrote, as one that is within the bounds. */
export const boundedOverride = (overrideSpec: JsonObject): BoundedOverride => overrideSpec as BoundedOverride

const ANNOTATIONS = [REQUESTED_BY, REVIEWED_REPLICAS, REVIEWED_TEMPLATE, COMMAND, COMMAND_BY, COMMAND_SAW]

const METADATA = {
  generation: isNumber,
  ...each(isText, 'name', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'),
}

function metadataIn(object: unknown) {
  const metadata = member(object, 'metadata')
  const unstored = { name: '', uid: '', generation: 1 }
  const finalizers = listOr(member(metadata, 'finalizers')).filter((each) => typeof each === 'string')
  const managedFields = listOr(member(metadata, 'managedFields')).filter(isManagedFieldsEntry)
  const annotations = pickTexts(member(metadata, 'annotations'), ANNOTATIONS)
  return {
    ...unstored,
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
    ...soundMembers<Pick<ExperimentDeployment['metadata'], keyof typeof METADATA>>(metadata, METADATA),
    ...(finalizers.length > 0 ? { finalizers } : {}),
    ...(managedFields.length > 0 ? { managedFields } : {}),
  }
}

const pickTexts = (of: unknown, keys: readonly string[]): readonly (readonly [string, string])[] =>
  keys.flatMap((key) => {
    const value = member(of, key)
    return typeof value === 'string' ? [[key, value] as const] : []
  })

const isManagedFieldsEntry = (value: unknown): value is ManagedFieldsEntry =>
  isObject(value) &&
  ['manager', 'operation', 'subresource', 'time'].every((key) => ['string', 'undefined'].includes(typeof value[key]))

/** The `spec` of an object that meets the expectations. */
function specIn(object: unknown, isWithinLimits: boolean): ExperimentDeploymentSpec {
  const read = (...path: string[]) => at(object, 'spec', ...path)
  return withoutNulls<ExperimentDeploymentSpec>({
    sourceRef: withoutNulls<SourceRef>({
      kind: read('sourceRef', 'kind'),
      name: read('sourceRef', 'name'),
      namespace: read('sourceRef', 'namespace'),
    }),
    overrideSpec: isWithinLimits ? read('overrideSpec') : {},
    overrideType: read('overrideType') ?? DEFAULTS.overrideType,
    replicas: read('replicas'),
    ttlSeconds: read('ttlSeconds'),
    onSourceChange: read('onSourceChange'),
    strategy: isObject(read('strategy')) ? strategyIn(read('strategy')) : undefined,
    traffic: isObject(read('traffic')) ? trafficIn(read('traffic')) : undefined,
    promotion: isObject(read('promotion')) ? promotionSpecIn(read('promotion')) : undefined,
    analysis: isObject(read('analysis')) ? analysisIn(read('analysis')) : undefined,
  })
}

const withoutNulls = <T>(members: Readonly<Record<keyof T, unknown>>): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => (value ?? undefined) !== undefined)) as T

const mistyped = ({ path, expected }: (typeof EXPECTATIONS)[number]): FieldError => ({
  field: ['spec', ...path].join('.'),
  message: `must be ${expected}`,
  cause: 'FieldValueTypeInvalid',
})
