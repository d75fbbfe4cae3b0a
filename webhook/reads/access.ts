import { COMMAND } from '../../common/api/names.ts'
import type { ResourceType } from '../../common/api/object.ts'
import { at, isEqual } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { pathOf, RESOURCES } from '../../common/kube/client/resources.ts'
import { parseCommand } from '../../common/strategy/command.ts'
import { runSpecOf } from '../../common/strategy/run-spec.ts'
import { forkName } from '../../common/workload/identity.ts'
import { reviewedReferent } from '../../common/workload/referent.ts'
import type { UserInfo } from '../review/admission-review.ts'
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

/** `unknown`: not answered in time, which does not grant access. */
export type Access = 'granted' | 'refused' | 'notChecked'

/** Whether `user` has all of `needs` now. It is never cached: a revoked permission counts at once. */
export async function accessOf(kube: Reader, user: UserInfo, needs: readonly Need[]): Promise<Access> {
  if (user.username === '') return 'refused' // without a user name, an authorizer may allow too much
  const found = await Promise.all(needs.map((need) => reviewed(kube, user, need)))
  if (found.includes('refused')) return 'refused'
  return found.includes('notChecked') ? 'notChecked' : 'granted'
}

async function reviewed(kube: Reader, { username, uid, groups, extra }: UserInfo, need: Need): Promise<Access> {
  const { apiVersion, kind } = RESOURCES.SubjectAccessReview
  const spec = { user: username, uid, groups, extra }
  const body = { apiVersion, kind, spec: { ...spec, resourceAttributes: attributesOf(need) } }
  try {
    const path = pathOf(RESOURCES.SubjectAccessReview)
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
  const told = needs.map(({ verb, resource, name }) => `"${verb} ${nameOf(resource)}${name ? `/${name}` : ''}"`)
  return `needs ${CONJUNCTION.format(told)} in namespace "${needs[0]?.namespace}"`
}

/** `a, b and c`: the American list has one more comma. */
const CONJUNCTION = new Intl.ListFormat('en-GB')

const nameOf = ({ apiVersion, plural }: ResourceType): string =>
  apiVersion.includes('/') ? `${plural}.${apiVersion.split('/')[0]}` : plural

/**
 * To create a workload of this kind beside the source, to get the source, for an update to patch the fork, to get the
 * objects in which the kind keeps templates, to get the object that the annotation names, and to patch the source if
 * the request lets the controller write it.
 */
export function needsOf(decoded: DecodedRequest): readonly Need[] {
  const { request, kind, source, experiment } = decoded
  const { namespace, name } = source
  const fork = forkName(name, experiment.metadata.uid)
  const referent = reviewedReferent(kind, experiment)
  return [
    { verb: 'create', resource: kind, namespace },
    { verb: 'get', resource: kind, namespace, name },
    ...(request.operation === 'UPDATE' ? [{ verb: 'patch', resource: kind, namespace, name: fork } as const] : []),
    ...(kind.keepsTemplatesIn ? [{ verb: 'get', resource: kind.keepsTemplatesIn, namespace } as const] : []),
    ...(referent ? [{ verb: 'get', ...referent, namespace } as const] : []),
    ...(mayWriteSource(decoded) ? [{ verb: 'patch', resource: kind, namespace, name } as const] : []),
  ]
}

/**
 * Whether the controller writes the source because of this request: a command says so, the end of the steps needs no
 * other word, or a revision is approved.
 */
function mayWriteSource({ request, experiment, previous }: DecodedRequest): boolean {
  const { annotations } = experiment.metadata
  const isNew = annotations?.[COMMAND] !== previous?.metadata.annotations?.[COMMAND]
  const verb = isNew ? parseCommand(annotations?.[COMMAND] ?? '')?.verb : undefined
  if (verb === 'promote' || verb === 'undo') return true
  const spec = runSpecOf(experiment.spec)
  if (!spec || spec.mode === 'Export') return false
  const isSpecNew = request.operation === 'CREATE' || !isEqual(experiment.spec, previous?.spec)
  if (spec.mode === 'Automatic') return isSpecNew || verb === 'resume' || verb === 'retry'
  return spec.approvedRevision !== undefined && isSpecNew
}
