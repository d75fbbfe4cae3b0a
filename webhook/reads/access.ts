import { SERVICE } from '../../common/api/names.ts'
import type { ResourceType } from '../../common/api/object.ts'
import { at, isEqual } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { runHashes } from '../../common/situation/run-hash.ts'
import { type Effect, effectsOf } from '../../common/strategy/effects.ts'
import { isSameRun } from '../../common/strategy/run.ts'
import { strategyRunSpec } from '../../common/strategy/run-spec.ts'
import { forkName } from '../../common/workload/identity.ts'
import { reviewedReferent } from '../../common/workload/referent.ts'
import type { UserInfo } from '../review/admission-review.ts'
import { newVerb } from '../review/command.ts'
import type { DecodedRequest } from '../review/request.ts'
import { DECISIVE_MS, type Reader } from './reader.ts'

/** A permission that the requester must have, because the controller will act on behalf of the requester. */
export interface Need {
  readonly verb: 'create' | 'get' | 'list' | 'patch'
  readonly resource: ResourceType
  readonly namespace: string
  /** absent: objects of any name */
  readonly name?: string
}

/** `notChecked`: not answered in time, which does not grant access. */
export type AccessDecision = 'granted' | 'refused' | 'notChecked'

/** Whether `user` has all of `needs` now. It is never cached: a revoked permission counts at once. */
export async function accessOf(kube: Reader, user: UserInfo, needs: readonly Need[]): Promise<AccessDecision> {
  if (user.username === '') return 'refused' // without a user name, an authorizer may allow too much
  const found = await Promise.all(needs.map((need) => reviewed(kube, user, need)))
  if (found.includes('refused')) return 'refused'
  return found.includes('notChecked') ? 'notChecked' : 'granted'
}

async function reviewed(kube: Reader, { username, uid, groups, extra }: UserInfo, need: Need): Promise<AccessDecision> {
  const { apiVersion, kind } = RESOURCES.SubjectAccessReview
  const spec = { user: username, uid, groups, extra }
  const body = { apiVersion, kind, spec: { ...spec, resourceAttributes: attributesOf(need) } }
  try {
    const path = resourcePath(RESOURCES.SubjectAccessReview)
    const answer = await kube.request({ verb: 'create', path, body, expects: kind, deadlineMs: DECISIVE_MS })
    if (at(answer, 'status', 'evaluationError')) return 'notChecked'
    return at(answer, 'status', 'allowed') === true && at(answer, 'status', 'denied') !== true ? 'granted' : 'refused'
  } catch (error) {
    if (error instanceof KubeError) return 'notChecked'
    throw error
  }
}

function attributesOf({ verb, resource, namespace, name }: Need) {
  const [version = '', group = ''] = resource.apiVersion.split('/').reverse()
  return { verb, group, version, resource: resource.plural, namespace, ...(name === undefined ? {} : { name }) }
}

/** The words for users: `needs "create deployments.apps" and "get deployments.apps/cart" in namespace "shop"`. */
export function formatNeeds(needs: readonly Need[]): string {
  const permissions = needs.map(({ verb, resource, name }) => `"${verb} ${nameOf(resource)}${name ? `/${name}` : ''}"`)
  return `needs ${CONJUNCTION.format(permissions)} in namespace "${needs[0]?.namespace}"`
}

/** `a, b and c`. British English, because the American list has a comma before `and`. */
const CONJUNCTION = new Intl.ListFormat('en-GB')

const nameOf = ({ apiVersion, plural }: ResourceType): string =>
  apiVersion.includes('/') ? `${plural}.${apiVersion.split('/')[0]}` : plural

/** The permissions that the requester needs, and whether the requester has them. */
export interface Permissions {
  readonly access: AccessDecision
  /** what a refusal may tell; `access` is about them */
  readonly needs: readonly Need[]
}

/**
 * Whether the requester has all permissions. The webhook wrote the annotation before it checked any of them. So a
 * refusal names the object in it only to a requester who has all other permissions, also `get` for the source.
 */
export async function permissionsOf(kube: Reader, decoded: DecodedRequest): Promise<Permissions> {
  const { userInfo } = decoded.request
  const [needs, ofReviewed] = [needsOf(decoded), reviewedReferentNeeds(decoded)]
  const [access, toReviewed] = await Promise.all([
    accessOf(kube, userInfo, needs),
    accessOf(kube, userInfo, ofReviewed),
  ])
  return access === 'granted' ? { access: toReviewed, needs: [...needs, ...ofReviewed] } : { access, needs }
}

/** To get the object that the annotation names. */
function reviewedReferentNeeds({ kind, source, experiment }: DecodedRequest): readonly Need[] {
  const referent = reviewedReferent(kind, experiment)
  return referent ? [{ verb: 'get', ...referent, namespace: source.namespace }] : []
}

/**
 * To create a workload of this kind beside the source, to get the source, for an update to patch the fork, to get the
 * objects in which the kind keeps templates, and to patch the source and the Services that the request lets the
 * controller write.
 */
export function needsOf(decoded: DecodedRequest): readonly Need[] {
  const { request, kind, source, experiment } = decoded
  const { namespace, name } = source
  const fork = forkName(name, experiment.metadata.uid)
  const effects = effectsIn(decoded)
  return [
    { verb: 'create', resource: kind, namespace },
    { verb: 'get', resource: kind, namespace, name },
    ...(request.operation === 'UPDATE' ? [{ verb: 'patch', resource: kind, namespace, name: fork } as const] : []),
    ...(kind.keepsTemplatesIn ? [{ verb: 'get', resource: kind.keepsTemplatesIn, namespace } as const] : []),
    ...(mayWriteSource(decoded, effects) ? [{ verb: 'patch', resource: kind, namespace, name } as const] : []),
    ...servicesWritten(decoded, effects).map(
      (service): Need => ({ verb: 'patch', resource: SERVICE, namespace, name: service }),
    ),
  ]
}

/** What the run does after the request without another word. */
function effectsIn(decoded: DecodedRequest): ReadonlySet<Effect> {
  const { request, experiment } = decoded
  const spec = strategyRunSpec(experiment.spec)
  if (!spec) return new Set()
  const stored = experiment.status?.strategy
  // another spec begins another run
  const run = isSameRun(stored, runHashes(experiment)) ? stored : undefined
  // which revision it will have is not known
  const isApproved = spec.approvedRevision !== undefined
  return effectsOf({ verb: newVerb(request), isEdit: isSpecNew(decoded) }, { spec, run, isApproved })
}

/** The Services that the controller may change because of these effects. An undo returns them. */
function servicesWritten({ experiment }: DecodedRequest, effects: ReadonlySet<Effect>): readonly string[] {
  const { activeService, previewService } = strategyRunSpec(experiment.spec)?.blueGreen ?? {}
  const isActive = effects.has('cutOver') || effects.has('restore')
  return [isActive ? activeService : undefined, effects.has('preview') ? previewService : undefined].filter(
    (name) => name !== undefined,
  )
}

const isSpecNew = ({ request, experiment, previous }: DecodedRequest) =>
  request.operation === 'CREATE' || !isEqual(experiment.spec, previous?.spec)

/**
 * Whether the controller may write the source because of this request. Where nobody has to promote, because that is
 * automatic or approved, each word and edit that lets the run go on counts, also if it pauses before. So it does where
 * the run changes the size of the source.
 */
function mayWriteSource(decoded: DecodedRequest, effects: ReadonlySet<Effect>): boolean {
  const verb = newVerb(decoded.request)
  if (verb === 'promote' || verb === 'undo' || effects.has('promote')) return true
  const spec = strategyRunSpec(decoded.experiment.spec)
  if (!spec) return false
  const promotesItself = spec.mode === 'Automatic' || (spec.mode === 'Manual' && spec.approvedRevision !== undefined)
  if (!promotesItself && !spec.isInsideSource) return false
  return isSpecNew(decoded) || verb === 'resume' || verb === 'retry'
}
