import { at, isEqual, isObject } from '../../common/json/json.ts'
import type { AdmissionRequest } from './admission-review.ts'

const approvedIn = (object: unknown): unknown => at(object, 'spec', 'promotion', 'approvedRevision') ?? undefined

/** Whether the request approves another revision in the spec than the stored one. */
export function setsApproval(request: AdmissionRequest): boolean {
  const approved = approvedIn(request.object)
  return approved !== undefined && approved !== (request.operation === 'UPDATE' && approvedIn(request.oldObject))
}

/**
 * Whether the request changes the spec to `spec`, apart from an approval. A user who only approves a revision has not
 * written what is promoted.
 * @throws RangeError if the spec is nested too deeply to be compared with the stored one
 */
export const editsSpec = (request: AdmissionRequest, spec: unknown): boolean =>
  request.operation === 'CREATE' || !isEqual(withoutApproval(request.oldObject.spec), withoutApproval(spec))

function withoutApproval(spec: unknown): unknown {
  if (!isObject(spec) || !isObject(spec.promotion)) return spec
  const { approvedRevision: _approval, ...promotion } = spec.promotion
  return { ...spec, promotion }
}
