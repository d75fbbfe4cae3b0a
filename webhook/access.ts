import { at } from '../common/api/object.ts'
import type { ResourceType } from '../common/api/resource.ts'
import { KubeError } from '../common/kube/errors.ts'
import { pathOf, RESOURCES } from '../common/kube/resources.ts'
import { DECISIVE_MS, type Reader } from './reader.ts'
import type { UserInfo } from './review.ts'

/** Something the requester must be allowed to do herself, since the controller is about to do it for her. */
export interface Need {
  readonly verb: 'create' | 'get' | 'patch'
  readonly resource: ResourceType
  readonly namespace: string
  /** absent: whatever its name */
  readonly name?: string
}

/** `unknown`: nobody could tell in time, which grants nothing. */
export type Access = 'granted' | 'refused' | 'unknown'

/** Whether `user` may do all of `needs`, as the API server's authorizers say now: a revoked right counts at once. */
export async function accessOf(kube: Reader, user: UserInfo, needs: readonly Need[]): Promise<Access> {
  if (user.username === '') return 'refused' // an authorizer may take nobody for anybody
  const found = await Promise.all(needs.map((need) => reviewed(kube, user, need)))
  if (found.includes('refused')) return 'refused'
  return found.includes('unknown') ? 'unknown' : 'granted'
}

async function reviewed(kube: Reader, user: UserInfo, need: Need): Promise<Access> {
  const { apiVersion, kind } = RESOURCES.SubjectAccessReview
  const body = { apiVersion, kind, spec: { ...specOf(user), resourceAttributes: attributesOf(need) } }
  try {
    const path = pathOf(RESOURCES.SubjectAccessReview)
    const answer = await kube.request({ verb: 'create', path, body, expects: kind, deadlineMs: DECISIVE_MS })
    if (at(answer, 'status', 'evaluationError')) return 'unknown'
    return at(answer, 'status', 'allowed') === true && at(answer, 'status', 'denied') !== true ? 'granted' : 'refused'
  } catch (error) {
    if (error instanceof KubeError) return 'unknown'
    throw error
  }
}

const specOf = ({ username, uid, groups, extra }: UserInfo) => ({ user: username, uid, groups, extra })

function attributesOf({ verb, resource, namespace, name }: Need) {
  const [version = '', group = ''] = resource.apiVersion.split('/').reverse()
  return { verb, group, version, resource: resource.plural, namespace, ...(name === undefined ? {} : { name }) }
}

/** `needs "create deployments.apps" and "get deployments.apps/cart" in namespace "shop"`: what to ask an admin for. */
export function tellNeeds(needs: readonly Need[]): string {
  const told = needs.map(({ verb, resource, name }) => `"${verb} ${nameOf(resource)}${name ? `/${name}` : ''}"`)
  const [last = '', ...others] = told.reverse()
  const list = others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`
  return `needs ${list} in namespace "${needs[0]?.namespace}"`
}

const nameOf = ({ apiVersion, plural }: ResourceType): string =>
  apiVersion.includes('/') ? `${plural}.${apiVersion.split('/')[0]}` : plural
