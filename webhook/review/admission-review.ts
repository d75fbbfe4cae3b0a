import { isDnsLabel } from '../../common/api/metadata-syntax.ts'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY, GROUP } from '../../common/api/names.ts'
import { showValue } from '../../common/json/field-path.ts'
import { at, isObject, listOr, member, objectOr, textOr } from '../../common/json/json.ts'

const REVIEW_VERSION = 'admission.k8s.io/v1'
/** The uids of the API server, and those of tests. Uids are logged. */
const UID = /^[\w.:-]{1,128}$/

/** The requester, as the API server authenticated it. */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** The resources that are reviewed, by their plural names. */
type ReviewedResource = 'experimentdeployments' | 'experimentpolicies'

interface AnyRequest {
  readonly uid: string
  readonly resource: ReviewedResource
  readonly userInfo: UserInfo
  readonly namespace: string
  readonly dryRun: boolean
  /** not trusted until it is decoded and within limits */
  readonly object: Readonly<Record<string, unknown>>
}

/** A request to create or update one of our resources. */
export type AdmissionRequest =
  | (AnyRequest & { readonly operation: 'CREATE' })
  | (AnyRequest & { readonly operation: 'UPDATE'; readonly oldObject: Readonly<Record<string, unknown>> })

/** What the body of a call contains. */
type Review =
  | { readonly is: 'ours'; readonly request: AdmissionRequest }
  /** another resource or operation; allowed, so that a configuration with too many rules cannot block a cluster */
  | { readonly is: 'foreign'; readonly uid: string }
  | { readonly is: 'unknownVersion'; readonly uid: string; readonly version: string }
  | { readonly is: 'unreadable'; readonly message: string }

const RESOURCES = [EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY].map(({ plural }) => plural as ReviewedResource)

/** Decodes the members of an `AdmissionReview` that the webhook uses. */
export function decodeReview(body: unknown): Review {
  if (at(body, 'apiVersion') !== REVIEW_VERSION || at(body, 'kind') !== 'AdmissionReview')
    return { is: 'unreadable', message: `expected an AdmissionReview of ${REVIEW_VERSION}` }
  const uid = at(body, 'request', 'uid')
  if (typeof uid !== 'string' || uid === '') return { is: 'unreadable', message: 'request.uid: required' }
  if (!UID.test(uid)) return { is: 'unreadable', message: 'request.uid: expected up to 128 letters, digits and dashes' }
  const read = (...path: string[]) => at(body, 'request', ...path)
  const resource = RESOURCES.find((plural) => plural === read('resource', 'resource'))
  const isOurs = read('resource', 'group') === GROUP && resource !== undefined
  const subresource = read('subResource')
  const operation = read('operation')
  const isReviewed = operation === 'CREATE' || operation === 'UPDATE'
  // This comes before the check of the version: what is not reviewed is allowed in every version.
  if (!isOurs || !isReviewed || (subresource !== undefined && subresource !== '')) return { is: 'foreign', uid }
  const version = textOr(read('resource', 'version'), 'unknown')
  if (`${GROUP}/${version}` !== EXPERIMENT_DEPLOYMENT.apiVersion) return { is: 'unknownVersion', uid, version }
  const [object, oldObject] = [read('object'), read('oldObject')]
  const isNamespaced = resource === EXPERIMENT_DEPLOYMENT.plural
  const namespace = isNamespaced ? read('namespace') : ''
  if (!isObject(object)) return { is: 'foreign', uid }
  if (typeof namespace !== 'string' || (isNamespaced && !isDnsLabel(namespace))) {
    const message = `request.namespace: expected the name of a namespace, got ${showValue(namespace)}`
    return { is: 'unreadable', message }
  }
  const request = {
    uid,
    resource,
    userInfo: userInfoIn(read('userInfo')),
    namespace,
    dryRun: read('dryRun') === true,
    object,
  }
  if (operation === 'CREATE') return { is: 'ours', request: { ...request, operation } }
  return isObject(oldObject) ? { is: 'ours', request: { ...request, operation, oldObject } } : { is: 'foreign', uid }
}

/** Members of a wrong type are left out, so that they cannot grant anything. */
function userInfoIn(info: unknown): UserInfo {
  const [username, uid] = [member(info, 'username'), member(info, 'uid')]
  const extra = Object.entries(objectOr(member(info, 'extra'))).map(([key, values]) => [key, stringsIn(values)])
  return {
    username: textOr(username, ''),
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
    // for a 429, so that kubectl tries again
    | { readonly retryAfterSeconds: number; readonly causes?: never }
}

/** The answer to a review. */
export type ReviewAnswer = {
  /** by name. The API server adds the name of the webhook as a prefix and logs them for refused requests too */
  readonly auditAnnotations?: Readonly<Record<string, string>>
} & (
  | { readonly allowed: true; readonly warnings?: readonly string[]; readonly patch?: readonly unknown[] }
  | { readonly allowed: false; readonly status: DenialStatus }
)

/** `answer` as an `AdmissionReview` with the `uid` of the request, without which the API server does not accept it. */
export function encodeReview(uid: string, answer: ReviewAnswer): Readonly<Record<string, unknown>> {
  return { apiVersion: REVIEW_VERSION, kind: 'AdmissionReview', response: { uid, ...encodeAnswer(answer) } }
}

function encodeAnswer(answer: ReviewAnswer): Readonly<Record<string, unknown>> {
  const audited = answer.auditAnnotations ? { auditAnnotations: answer.auditAnnotations } : {}
  if (!answer.allowed) return { allowed: false, status: answer.status, ...audited }
  const { warnings = [], patch = [] } = answer
  return {
    allowed: true,
    ...(warnings.length > 0 ? { warnings } : {}),
    ...audited,
    // both or neither: otherwise the API server counts the call as failed
    ...(patch.length > 0
      ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
      : {}),
  }
}
