import { REQUESTED_BY } from '../../common/api/names.ts'
import type { FieldError } from '../../common/api/types.ts'
import { at, isEqual, isObject } from '../../common/json/json.ts'
import type { AdmissionRequest } from './admission-review.ts'

const approvedIn = (object: unknown): unknown => at(object, 'spec', 'promotion', 'approvedRevision') ?? undefined

/** Whether the request approves another revision in the spec than the stored one. */
export function setsApproval(request: AdmissionRequest): boolean {
  const approved = approvedIn(request.object)
  return approved !== undefined && approved !== (request.operation === 'UPDATE' && approvedIn(request.oldObject))
}

/**
 * The error for an update that approves a short revision: another override may have the same one. One that is stored
 * already is not judged. `whole`: the present revision, if it is known.
 */
export function approvalErrors(request: AdmissionRequest, whole: string | undefined): readonly FieldError[] {
  const approved = approvedIn(request.object)
  if (request.operation === 'CREATE' || !setsApproval(request) || WHOLE_REVISION.test(String(approved))) return []
  const message = `takes the whole revision, of 64 digits${whole === undefined ? '; the plan prints it' : `: ${whole}`}`
  return [{ field: 'spec.promotion.approvedRevision', message, cause: 'FieldValueInvalid' }]
}

const WHOLE_REVISION = /^[0-9a-f]{64}$/

/**
 * Whether the request changes the spec to `spec`, apart from an approval and from the time until it expires. A user who
 * only changes these has not written what is promoted.
 * @throws RangeError if the spec is nested too deeply to be compared with the stored one
 */
export const editsSpec = (request: AdmissionRequest, spec: unknown): boolean =>
  request.operation === 'CREATE' || !isEqual(promotedPart(request.oldObject.spec), promotedPart(spec))

function promotedPart(spec: unknown): unknown {
  if (!isObject(spec)) return spec
  const { ttlSeconds: _time, promotion: written, ...others } = spec
  if (!isObject(written)) return others // null counts as absent
  const { approvedRevision: _approval, ...promotion } = written
  return { ...others, promotion }
}

/**
 * The error for an update that edits the spec and keeps the name of an earlier requester, because the mutating webhook
 * was skipped: where another user must approve, its author could then do it. Without a name nobody can approve.
 */
export function requesterErrors(request: AdmissionRequest): readonly FieldError[] {
  if (request.operation === 'CREATE') return []
  const nameIn = (object: unknown) => at(object, 'metadata', 'annotations', REQUESTED_BY)
  const name = nameIn(request.object)
  const isKept = name !== undefined && name === nameIn(request.oldObject)
  if (!isKept || name === request.userInfo.username || !editsSpec(request, request.object.spec)) return []
  const message = 'names an earlier requester, because the mutating webhook did not answer in time; repeat the change'
  return [{ field: `metadata.annotations[${JSON.stringify(REQUESTED_BY)}]`, message, cause: 'FieldValueForbidden' }]
}
