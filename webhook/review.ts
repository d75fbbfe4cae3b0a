import { EXPERIMENT_DEPLOYMENT, GROUP } from '../common/api/names.ts'
import { at, isObject, listOr, member, objectOr, textOr } from '../common/api/object.ts'

const REVIEW_VERSION = 'admission.k8s.io/v1'

/** Who asks, as the API server authenticated them. */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

interface AnyRequest {
  readonly uid: string
  readonly userInfo: UserInfo
  readonly namespace: string
  readonly dryRun: boolean
  /** hostile until it is decoded and within limits */
  readonly object: Readonly<Record<string, unknown>>
}

/** What is to happen to one of our resources. */
export type AdmissionRequest =
  | (AnyRequest & { readonly operation: 'CREATE' })
  | (AnyRequest & { readonly operation: 'UPDATE'; readonly oldObject: Readonly<Record<string, unknown>> })

/** What a body turned out to be. */
export type Review =
  | { readonly is: 'ours'; readonly request: AdmissionRequest }
  /** another resource, a subresource, another operation: a widened configuration must not freeze a cluster */
  | { readonly is: 'foreign'; readonly uid: string }
  | { readonly is: 'unknownVersion'; readonly uid: string; readonly version: string }
  | { readonly is: 'unreadable'; readonly message: string }

/** Reads an `AdmissionReview`, and of it only what we use. */
export function decodeReview(body: unknown): Review {
  if (at(body, 'apiVersion') !== REVIEW_VERSION || at(body, 'kind') !== 'AdmissionReview')
    return { is: 'unreadable', message: `expected an AdmissionReview of ${REVIEW_VERSION}` }
  const uid = at(body, 'request', 'uid')
  if (typeof uid !== 'string' || uid === '') return { is: 'unreadable', message: 'request.uid: required' }
  const read = (...path: string[]) => at(body, 'request', ...path)
  const isOurs = read('resource', 'group') === GROUP && read('resource', 'resource') === EXPERIMENT_DEPLOYMENT.plural
  const subresource = read('subResource')
  const operation = read('operation')
  const isReviewed = operation === 'CREATE' || operation === 'UPDATE'
  // before the version: what is not reviewed is let be in every version
  if (!isOurs || !isReviewed || (subresource !== undefined && subresource !== '')) return { is: 'foreign', uid }
  const version = textOr(read('resource', 'version'), 'unknown')
  if (`${GROUP}/${version}` !== EXPERIMENT_DEPLOYMENT.apiVersion) return { is: 'unknownVersion', uid, version }
  const [object, oldObject] = [read('object'), read('oldObject')]
  if (!isObject(object)) return { is: 'foreign', uid }
  const request = {
    uid,
    userInfo: userInfoIn(read('userInfo')),
    namespace: textOr(read('namespace'), ''),
    dryRun: read('dryRun') === true,
    object,
  }
  if (operation === 'CREATE') return { is: 'ours', request: { ...request, operation } }
  return isObject(oldObject) ? { is: 'ours', request: { ...request, operation, oldObject } } : { is: 'foreign', uid }
}

/** What is of another type than the API server's is nobody's, and grants nothing. */
function userInfoIn(info: unknown): UserInfo {
  const [username, uid] = [member(info, 'username'), member(info, 'uid')]
  const extra = Object.entries(objectOr(member(info, 'extra'))).map(
    ([key, values]) => [key, stringsIn(values)] as const,
  )
  return {
    username: typeof username === 'string' ? username : '',
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
    groups: stringsIn(member(info, 'groups')),
    extra: Object.fromEntries(extra),
  }
}

const stringsIn = (value: unknown): readonly string[] =>
  listOr(value).filter((each): each is string => typeof each === 'string')

/** A `Status` of apimachinery, as far as a denial needs one. */
export interface DenialStatus {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?:
    | {
        readonly group: string
        readonly kind: string
        readonly name: string
        readonly causes: readonly { readonly reason: string; readonly field: string; readonly message: string }[]
      }
    // for a 429: kubectl tries again then
    | { readonly retryAfterSeconds: number; readonly causes?: never }
}

/** What the API server is told. */
export type Answer = {
  /** by name; the API server puts our own name before each, and logs them whether or not we allow */
  readonly auditAnnotations?: Readonly<Record<string, string>>
} & (
  | { readonly allowed: true; readonly warnings?: readonly string[]; readonly patch?: readonly unknown[] }
  | { readonly allowed: false; readonly status: DenialStatus }
)

/** `answer` as the `AdmissionReview` that the API server accepts: with the `uid` of its question. */
export function encodeReview(uid: string, answer: Answer): Readonly<Record<string, unknown>> {
  return { apiVersion: REVIEW_VERSION, kind: 'AdmissionReview', response: { uid, ...encodeAnswer(answer) } }
}

function encodeAnswer(answer: Answer): Readonly<Record<string, unknown>> {
  const audited = answer.auditAnnotations ? { auditAnnotations: answer.auditAnnotations } : {}
  if (!answer.allowed) return { allowed: false, status: answer.status, ...audited }
  const { warnings = [], patch = [] } = answer
  return {
    allowed: true,
    ...(warnings.length > 0 ? { warnings } : {}),
    ...audited,
    // both or neither: anything else counts as a failed call
    ...(patch.length > 0
      ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
      : {}),
  }
}
