import jsonPatch, { type Operation } from 'fast-json-patch'
import { DEFAULTS } from '../../common/api/defaults.ts'
import { REQUESTED_BY } from '../../common/api/names.ts'
import type { FieldError } from '../../common/api/types.ts'
import { at, isEqual, isObject, objectOr } from '../../common/json/json.ts'
import type { AdmissionRequest } from './admission-review.ts'

/**
 * The JSON patch that writes the defaults, the namespace of the source, the requester and for a new resource
 * `defaultTTLSeconds` into the object, so that `kubectl diff` shows them. `object` is not validated yet, so nothing in
 * `overrideSpec` is copied or patched.
 * @throws RangeError if an update is nested too deeply to be compared with the stored object
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

/** Adds the parent first if the object has no annotations: a JSON patch cannot add a member to a missing map. */
function withParent(request: AdmissionRequest, operation: Operation): readonly Operation[] {
  const hasAnnotations = isObject(at(request.object, 'metadata', 'annotations'))
  const isFirst = operation.path.startsWith('/metadata/annotations/') && !hasAnnotations
  return isFirst ? [{ op: 'add', path: '/metadata/annotations', value: {} }, operation] : [operation]
}

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

/** `sourceRef` is immutable. An update without its namespace keeps the stored one, so that `kubectl replace` works. */
function sourceRef(request: AdmissionRequest, { sourceRef: given }: Members): Members {
  if (!isObject(given) || (given.namespace ?? undefined) !== undefined) return {}
  const namespace =
    request.operation === 'CREATE' ? request.namespace : at(request.oldObject, 'spec', 'sourceRef', 'namespace')
  return namespace === undefined ? {} : { sourceRef: { ...given, namespace } }
}

/** The annotations, with the user who last changed the spec as the requester, whatever the request says. */
function annotationsOf(request: AdmissionRequest, spec: Members): Members {
  const { [REQUESTED_BY]: _sent, ...others } = objectOr(at(request.object, 'metadata', 'annotations'))
  const isAsked = request.operation === 'CREATE' || !isEqual(request.oldObject.spec, spec)
  const by = isAsked ? request.userInfo.username : requestedBy(request.oldObject)
  return typeof by === 'string' && by !== '' ? { ...others, [REQUESTED_BY]: by } : others
}

/** The requester that the annotation of `object` names; undefined without the annotation. */
export const requestedBy = (object: unknown): unknown => at(object, 'metadata', 'annotations', REQUESTED_BY)

/**
 * An error if the annotation names neither the user of this request nor the stored requester: somebody wrote it by
 * hand, and the mutating webhook, which would have overwritten it, was skipped.
 */
export function forgedRequester(request: AdmissionRequest): readonly FieldError[] {
  const said = requestedBy(request.object)
  const before = request.operation === 'UPDATE' ? requestedBy(request.oldObject) : undefined
  if (said === undefined || said === request.userInfo.username || said === before) return []
  const message = 'is set by the webhook to the name of the requester; remove it'
  return [{ field: `metadata.annotations[${JSON.stringify(REQUESTED_BY)}]`, message, cause: 'FieldValueForbidden' }]
}
