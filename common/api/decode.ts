import { at, isObject, type JsonObject, listOr } from '../json/json.ts'
import { decodeStatus } from './decode-status.ts'
import { DEFAULTS, OVERRIDE_TYPES, SOURCE_CHANGES } from './defaults.ts'
import { brokenLimits } from './limits.ts'
import type { ManagedFieldsEntry } from './object.ts'
import type { BoundedOverride, ExperimentDeployment, FieldError } from './types.ts'

/** One of our resources, or what keeps it from being one. */
export type Decoded =
  | { readonly is: 'experiment'; readonly experiment: ExperimentDeployment }
  | { readonly is: 'malformed'; readonly errors: readonly FieldError[] }

/** What a member must be, in words. */
interface Expectation {
  readonly path: readonly string[]
  readonly expected: string
  readonly holds: (value: unknown) => boolean
}

/** As in a path: never empty, `.` or `..`. */
const isName = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value)
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
/** Absent or null: the CRD prunes a null before it fills in defaults. */
const orAbsent = (holds: (value: unknown) => boolean) => (value: unknown) =>
  (value ?? undefined) === undefined || holds(value)
const oneOf = (words: readonly string[]) => orAbsent((value) => words.some((word) => word === value))

const EXPECTATIONS: readonly Expectation[] = [
  { path: ['sourceRef', 'kind'], expected: 'string', holds: (value) => typeof value === 'string' },
  { path: ['sourceRef', 'name'], expected: 'the name of a workload', holds: isName },
  { path: ['sourceRef', 'namespace'], expected: 'the name of a namespace', holds: orAbsent(isName) },
  { path: ['overrideSpec'], expected: 'object', holds: isObject },
  { path: ['overrideType'], expected: OVERRIDE_TYPES.join(' or '), holds: oneOf(OVERRIDE_TYPES) },
  { path: ['onSourceChange'], expected: SOURCE_CHANGES.join(' or '), holds: oneOf(SOURCE_CHANGES) },
  { path: ['replicas'], expected: 'a whole number, 0 or more', holds: orAbsent(isCount) },
  { path: ['ttlSeconds'], expected: 'a whole number of seconds', holds: orAbsent(isCount) },
]

/**
 * Exactly the members that we use, for both programs. The CRD's schema has checked their types before; a cluster where
 * somebody loosened it gets an error message, not an internal error. An override beyond `LIMITS` is replaced by an empty
 * one, and `overrideErrors` says what is wrong with it, so that nothing can merge or print it. `namespace` is that of
 * the request: an object in a review may lack its own.
 */
export function decodeExperiment(object: Readonly<Record<string, unknown>>, namespace: string): Decoded {
  const broken = EXPECTATIONS.filter(({ path, holds }) => !holds(at(object, 'spec', ...path)))
  if (broken.length > 0) return { is: 'malformed', errors: broken.map(mistyped) }
  const overrideErrors = brokenLimits(at(object, 'spec', 'overrideSpec'))
  const status = decodeStatus(object.status)
  return {
    is: 'experiment',
    experiment: {
      apiVersion: textOr(object.apiVersion),
      kind: textOr(object.kind),
      metadata: { ...metadataIn(object), namespace },
      spec: specIn(object, overrideErrors.length === 0),
      ...(status === undefined ? {} : { status }),
      ...(overrideErrors.length > 0 ? { overrideErrors } : {}),
    },
  }
}

/** `overrideSpec` that the program itself wrote, as one that is within the bounds. */
export const boundedOverride = (overrideSpec: JsonObject): BoundedOverride => overrideSpec as BoundedOverride

/** Never by `String`, which calls the `toString` that an object may bring. */
const textOr = (value: unknown): string => (typeof value === 'string' ? value : '')

function metadataIn(object: unknown) {
  const read = (...path: string[]) => at(object, 'metadata', ...path)
  const generation = read('generation')
  const texts = ['resourceVersion', 'creationTimestamp', 'deletionTimestamp'].flatMap((key) => {
    const value = read(key)
    return typeof value === 'string' ? [[key, value] as const] : []
  })
  const finalizers = listOr(read('finalizers')).filter((each) => typeof each === 'string')
  const managedFields = listOr(read('managedFields')).filter(isManagedFieldsEntry)
  return {
    name: textOr(read('name')),
    uid: textOr(read('uid')),
    generation: typeof generation === 'number' ? generation : 1,
    ...Object.fromEntries(texts),
    ...(finalizers.length > 0 ? { finalizers } : {}),
    ...(managedFields.length > 0 ? { managedFields } : {}),
  }
}

const isManagedFieldsEntry = (value: unknown): value is ManagedFieldsEntry =>
  isObject(value) &&
  ['manager', 'operation', 'subresource', 'time'].every((key) => ['string', 'undefined'].includes(typeof value[key]))

function specIn(object: unknown, isWithinLimits: boolean): ExperimentDeployment['spec'] {
  const read = (...path: string[]) => at(object, 'spec', ...path) ?? undefined
  const namespace = read('sourceRef', 'namespace')
  const overrideType = OVERRIDE_TYPES.find((type) => type === (read('overrideType') ?? DEFAULTS.overrideType))
  const [replicas, ttlSeconds, onSourceChange] = [read('replicas'), read('ttlSeconds'), read('onSourceChange')]
  return {
    sourceRef: {
      kind: String(read('sourceRef', 'kind')),
      name: String(read('sourceRef', 'name')),
      ...(namespace === undefined ? {} : { namespace: String(namespace) }),
    },
    overrideSpec: (isWithinLimits ? read('overrideSpec') : {}) as BoundedOverride,
    ...(overrideType === undefined ? {} : { overrideType }),
    ...(replicas === undefined ? {} : { replicas: Number(replicas) }),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds: Number(ttlSeconds) }),
    ...(onSourceChange === undefined ? {} : { onSourceChange: String(onSourceChange) }),
  }
}

const mistyped = ({ path, expected }: Expectation): FieldError => ({
  field: ['spec', ...path].join('.'),
  message: `expected ${expected}; set it so`,
  cause: 'FieldValueTypeInvalid',
})
