import jsonPatch, { type Operation } from 'fast-json-patch'
import { DEFAULTS } from '../../common/api/defaults.ts'
import { type Known, knownValue, unknown } from '../../common/api/known.ts'
import { COMMAND_SAW, REQUESTED_BY, REVIEWED_REPLICAS, REVIEWED_TEMPLATE } from '../../common/api/names.ts'
import type { FieldError } from '../../common/api/types.ts'
import { at, isEqual, isObject, objectOr } from '../../common/json/json.ts'
import type { AdmissionRequest } from './admission-review.ts'
import { editsSpec } from './approval.ts'
import { sawAfter, stamped } from './command.ts'

/** What a patch depends on besides the request. */
interface Reviewed {
  readonly now: Date
  /** the object from which the source takes its template; absent: not read */
  readonly template?: Known<string>
  readonly defaultTTLSeconds?: number | undefined
  /** the hash of what the source has in the fields that `promote` changes; absent: not read */
  readonly values?: string | undefined
}

/**
 * The JSON patch that writes the defaults, the namespace of the source, the requester and for a new resource
 * `defaultTTLSeconds` into the object, so that `kubectl diff` shows them. `object` is not validated yet, so nothing in
 * `overrideSpec` is copied or patched.
 * @throws RangeError if an update is nested too deeply to be compared with the stored object
 */
export function defaultsPatch(
  request: AdmissionRequest,
  { defaultTTLSeconds, ...reviewed }: Reviewed,
): readonly unknown[] {
  const { spec } = request.object
  if (!isObject(spec)) return []
  const { overrideSpec, ...given } = spec
  const filled = { ...given, ...missingIn(request, given, defaultTTLSeconds) }
  const annotations = objectOr(at(request.object, 'metadata', 'annotations'))
  const before = { metadata: { annotations }, spec: given }
  const after = {
    metadata: { annotations: annotationsOf(request, { ...filled, overrideSpec }, reviewed) },
    spec: filled,
  }
  return withParent(request, jsonPatch.compare(before, after))
}

/**
 * Adds the parent of the annotations once, before all operations: a JSON patch cannot add a member to a missing map,
 * and a second parent would replace what was added to the first.
 */
function withParent(request: AdmissionRequest, operations: readonly Operation[]): readonly Operation[] {
  const hasAnnotations = isObject(at(request.object, 'metadata', 'annotations'))
  const needsParent = !hasAnnotations && operations.some(({ path }) => path.startsWith('/metadata/annotations/'))
  return needsParent ? [{ op: 'add', path: '/metadata/annotations', value: {} }, ...operations] : operations
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

/**
 * What the webhook writes about a request that changes the spec: the requester, and the replicas of a fork elsewhere.
 */
const reviewOf = ({ userInfo, namespace }: AdmissionRequest, { sourceRef, replicas }: Members): Members => ({
  [REQUESTED_BY]: userInfo.username === '' ? undefined : userInfo.username,
  [REVIEWED_REPLICAS]: (at(sourceRef, 'namespace') ?? namespace) === namespace ? undefined : `${replicas}`,
})

const annotationOf = (object: unknown, key: string): unknown => at(object, 'metadata', 'annotations', key)

/**
 * The annotations with those of the last change of the spec, whatever the request says. An approval alone does not make
 * its author the requester. Only the object of the template may be named by hand: /validate checks the permission to
 * read it. An update that leaves it out, such as `kubectl replace`, keeps the stored one.
 */
function annotationsOf(
  request: AdmissionRequest,
  spec: Members,
  { template = UNREAD, now, values }: Reviewed,
): Members {
  const given = objectOr(at(request.object, 'metadata', 'annotations'))
  const isAsked = request.operation === 'CREATE' || !isEqual(request.oldObject.spec, spec)
  const isEdited = isAsked && editsSpec(request, spec)
  const storedAs = (key: string): string | undefined => {
    const stored = request.operation === 'UPDATE' ? annotationOf(request.oldObject, key) : undefined
    return typeof stored === 'string' ? stored : undefined
  }
  const review = Object.entries(reviewOf(request, spec)).map(([key, value]) => {
    const isWritten = key === REQUESTED_BY ? isEdited : isAsked
    return [key, isWritten ? value : storedAs(key)]
  })
  const kept = given[REVIEWED_TEMPLATE] ?? storedAs(REVIEWED_TEMPLATE)
  const reviewed = { [REVIEWED_TEMPLATE]: isAsked && template.is !== 'unknown' ? knownValue(template) : kept }
  const command = { ...stamped(request, now), [COMMAND_SAW]: sawAfter(request, now, values) }
  const all = Object.entries({ ...given, ...Object.fromEntries(review), ...reviewed, ...command })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

const UNREAD = unknown('not read')

const MEANINGS = {
  [REQUESTED_BY]: 'to the name of the requester',
  [REVIEWED_REPLICAS]: 'to spec.replicas, for a source in another namespace',
}

/**
 * An error for each of our annotations whose value is neither that of this request nor the stored one: a user wrote
 * it by hand, and the mutating webhook, which would have overwritten it, was skipped.
 */
export function annotationErrors(request: AdmissionRequest): readonly FieldError[] {
  const review = reviewOf(request, objectOr(request.object.spec))
  return Object.entries(MEANINGS).flatMap(([key, meaning]) => {
    const written = annotationOf(request.object, key)
    const before = request.operation === 'UPDATE' ? annotationOf(request.oldObject, key) : undefined
    if (written === undefined || written === review[key] || written === before) return []
    const field = `metadata.annotations[${JSON.stringify(key)}]`
    return [{ field, message: `is set by the webhook ${meaning}; remove it`, cause: 'FieldValueForbidden' }]
  })
}
