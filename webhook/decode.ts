import { DEFAULTS, OVERRIDE_TYPES, SOURCE_CHANGES } from '../common/api/defaults.ts'
import { at, isObject, type JsonObject } from '../common/api/object.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'

/** One of our resources, or what keeps it from being one. */
export type Decoded =
  | { readonly is: 'experiment'; readonly experiment: ExperimentDeployment }
  | { readonly is: 'malformed'; readonly errors: readonly FieldError[] }

/** What a member has to be, in words. */
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
  { path: ['replicas'], expected: 'a whole number from 0 on', holds: orAbsent(isCount) },
  { path: ['ttlSeconds'], expected: 'a whole number of seconds', holds: orAbsent(isCount) },
]

/**
 * Exactly the members we use. The CRD's schema has seen to their types before; a cluster where somebody loosened it is
 * told so, and not served an internal error. Does not look into `overrideSpec`.
 */
export function decodeExperiment(object: Readonly<Record<string, unknown>>, namespace: string): Decoded {
  const broken = EXPECTATIONS.filter(({ path, holds }) => !holds(at(object, 'spec', ...path)))
  if (broken.length > 0) return { is: 'malformed', errors: broken.map(mistyped) }
  return {
    is: 'experiment',
    experiment: {
      apiVersion: textOr(object.apiVersion),
      kind: textOr(object.kind),
      metadata: { ...metadataIn(object), namespace },
      spec: specIn(object),
    },
  }
}

/** Never by `String`, which calls what an object has under the name of `toString`. */
const textOr = (value: unknown): string => (typeof value === 'string' ? value : '')

function metadataIn(object: unknown) {
  const read = (...path: string[]) => at(object, 'metadata', ...path)
  const [created, generation] = [read('creationTimestamp'), read('generation')]
  return {
    name: textOr(read('name')),
    uid: textOr(read('uid')),
    generation: typeof generation === 'number' ? generation : 1,
    ...(typeof created === 'string' ? { creationTimestamp: created } : {}),
  }
}

function specIn(object: unknown): ExperimentDeployment['spec'] {
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
    overrideSpec: read('overrideSpec') as JsonObject,
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
