import { REQUESTED_BY } from '../common/api/names.ts'
import { at } from '../common/api/object.ts'
import type { FieldError } from '../common/api/types.ts'
import type { AdmissionRequest } from './review.ts'

/** Who is said to have asked for what `object` says; undefined if nobody is. */
export const requestedBy = (object: unknown): unknown => at(object, 'metadata', 'annotations', REQUESTED_BY)

/**
 * A requester that is neither the one who asks now nor the one that was stored: somebody wrote it by hand while the
 * mutating webhook, which would have overwritten it, was skipped.
 */
export function forgedRequester(request: AdmissionRequest): readonly FieldError[] {
  const said = requestedBy(request.object)
  const before = request.operation === 'UPDATE' ? requestedBy(request.oldObject) : undefined
  if (said === undefined || said === request.userInfo.username || said === before) return []
  const message = 'is set by the webhook to who asks; remove it'
  return [{ field: `metadata.annotations[${JSON.stringify(REQUESTED_BY)}]`, message, cause: 'FieldValueForbidden' }]
}
