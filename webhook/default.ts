import jsonPatch, { type Operation } from 'fast-json-patch'
import { DEFAULTS } from '../common/api/defaults.ts'
import { isEqual } from '../common/api/equal.ts'
import { REQUESTED_BY } from '../common/api/names.ts'
import { at, isObject, objectOr } from '../common/api/object.ts'
import { requestedBy } from './requested-by.ts'
import type { AdmissionRequest } from './review.ts'

/**
 * The JSON patch that makes visible, as in `kubectl diff`, what holds: defaults, the source's namespace, the requester.
 * Empty where nothing is missing. `defaultTTLSeconds` is what policies say of a new resource. `object` was judged by
 * nobody yet: of `overrideSpec` nothing is copied or patched.
 * @throws RangeError where an update is nested too deeply to be compared with what was there
 */
export function defaultsPatch(request: AdmissionRequest, defaultTTLSeconds?: number): readonly unknown[] {
  const { spec } = request.object
  if (!isObject(spec)) return []
  const { overrideSpec, ...given } = spec
  const filled = { ...given, ...missingIn(request, given, defaultTTLSeconds) }
  const annotations = objectOr(at(request.object, 'metadata', 'annotations'))
  const before = { metadata: { annotations }, spec: given }
  const after = { metadata: { annotations: annotationsOf(request, { ...filled, overrideSpec }) }, spec: filled }
  return jsonPatch.compare(before, after).flatMap((operation) => withParent(request, operation))
}

/** An object without annotations has no place to put one. */
function withParent(request: AdmissionRequest, operation: Operation): readonly Operation[] {
  const isFirst = operation.path.startsWith('/metadata/annotations/') && !hasAnnotations(request)
  return isFirst ? [{ op: 'add', path: '/metadata/annotations', value: {} }, operation] : [operation]
}

const hasAnnotations = ({ object }: AdmissionRequest): boolean => isObject(at(object, 'metadata', 'annotations'))

type Members = Readonly<Record<string, unknown>>

function missingIn(request: AdmissionRequest, spec: Members, defaultTTLSeconds: number | undefined): Members {
  const isMissing = (key: string) => (spec[key] ?? undefined) === undefined
  const isLimited = request.operation === 'CREATE' && isMissing('ttlSeconds') && defaultTTLSeconds !== undefined
  return {
    ...Object.fromEntries(Object.entries(DEFAULTS).filter(([key]) => isMissing(key))),
    ...sourceRef(request, spec),
    ...(isLimited ? { ttlSeconds: defaultTTLSeconds } : {}),
  }
}

/** `sourceRef` is immutable: what an update leaves out is what it was, so that `kubectl replace` of a manifest is legal. */
function sourceRef(request: AdmissionRequest, { sourceRef: given }: Members): Members {
  if (!isObject(given) || (given.namespace ?? undefined) !== undefined) return {}
  const namespace =
    request.operation === 'CREATE' ? request.namespace : at(request.oldObject, 'spec', 'sourceRef', 'namespace')
  return namespace === undefined ? {} : { sourceRef: { ...given, namespace } }
}

/** Who asked for what `spec` says, whatever was sent. */
function annotationsOf(request: AdmissionRequest, spec: Members): Members {
  const { [REQUESTED_BY]: _sent, ...others } = objectOr(at(request.object, 'metadata', 'annotations'))
  const isAsked = request.operation === 'CREATE' || !isEqual(request.oldObject.spec, spec)
  const by = isAsked ? request.userInfo.username : requestedBy(request.oldObject)
  return typeof by === 'string' && by !== '' ? { ...others, [REQUESTED_BY]: by } : others
}
