import { DEFAULTS, OVERRIDE_TYPES } from '../common/api/defaults.ts'
import { at, isObject, type JsonObject } from '../common/api/object.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'

/** One of our resources, or what keeps it from being one. */
export type Decoded =
  | { readonly is: 'experiment'; readonly experiment: ExperimentDeployment }
  | { readonly is: 'malformed'; readonly errors: readonly FieldError[] }

/**
 * Exactly the members we use. The CRD's schema has seen to their types before; a cluster where somebody loosened it is
 * told so, and not served an internal error. Does not look into `overrideSpec`.
 */
export function decodeExperiment(object: Readonly<Record<string, unknown>>, namespace: string): Decoded {
  const spec = at(object, 'spec')
  const [kind, name] = [at(spec, 'sourceRef', 'kind'), at(spec, 'sourceRef', 'name')]
  const [overrideSpec, replicas] = [at(spec, 'overrideSpec'), at(spec, 'replicas')]
  const overrideType = OVERRIDE_TYPES.find((type) => type === (at(spec, 'overrideType') ?? DEFAULTS.overrideType))
  const isCount = replicas === undefined || (Number.isSafeInteger(replicas) && Number(replicas) >= 0)
  const errors = [
    typeof kind === 'string' ? [] : [mistyped('spec.sourceRef.kind', 'string')],
    typeof name === 'string' && name !== '' ? [] : [mistyped('spec.sourceRef.name', 'string')],
    isObject(overrideSpec) ? [] : [mistyped('spec.overrideSpec', 'object')],
    overrideType ? [] : [mistyped('spec.overrideType', OVERRIDE_TYPES.join(' or '))],
    isCount ? [] : [mistyped('spec.replicas', 'a whole number from 0 on')],
  ].flat()
  if (errors.length > 0) return { is: 'malformed', errors }
  const experiment = {
    apiVersion: String(object.apiVersion),
    kind: String(object.kind),
    metadata: {
      name: String(at(object, 'metadata', 'name') ?? ''),
      namespace,
      uid: String(at(object, 'metadata', 'uid') ?? ''),
      generation: Number(at(object, 'metadata', 'generation') ?? 1),
    },
    spec: {
      sourceRef: { kind: String(kind), name: String(name) },
      overrideSpec: overrideSpec as JsonObject,
      ...(overrideType === undefined ? {} : { overrideType }),
      ...(replicas === undefined ? {} : { replicas: Number(replicas) }),
    },
  }
  return { is: 'experiment', experiment }
}

const mistyped = (field: string, expected: string): FieldError => ({
  field,
  message: `expected ${expected}; set it so`,
  cause: 'FieldValueTypeInvalid',
})
