import { REQUESTED_BY } from '../../common/api/names.ts'
import type { FieldError } from '../../common/api/types.ts'
import { at } from '../../common/json/json.ts'
import type { AdmissionRequest } from './admission-review.ts'

/** The requester that the annotation of `object` names; undefined without the annotation. */
export const requestedBy = (object: unknown): unknown => at(object, 'metadata', 'annotations', REQUESTED_BY)

/**
 * An error if the requester annotation names neither the user of this request nor the stored requester. Somebody then
 * wrote it by hand, and the mutating webhook, which would have overwritten it, was skipped.
 */
export function forgedRequester(request: AdmissionRequest): readonly FieldError[] {
  const said = requestedBy(request.object)
  const before = request.operation === 'UPDATE' ? requestedBy(request.oldObject) : undefined
  if (said === undefined || said === request.userInfo.username || said === before) return []
  const message = 'is set by the webhook to the name of the requester; remove it'
  return [{ field: `metadata.annotations[${JSON.stringify(REQUESTED_BY)}]`, message, cause: 'FieldValueForbidden' }]
}
