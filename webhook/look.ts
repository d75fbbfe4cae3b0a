import { type KubeObject, listOr, member } from '../common/api/object.ts'
import type { ExperimentPolicy, NamespaceView } from '../common/api/policy.ts'
import { KubeError } from '../common/kube/errors.ts'
import { pathOf, RESOURCES } from '../common/kube/resources.ts'
import type { Base } from '../common/workload/base.ts'
import { forkName } from '../common/workload/identity.ts'
import type { Reference, WorkloadKind } from '../common/workload/kind.ts'
import { isPinned, pinnedIn } from '../common/workload/pinned.ts'
import { type Access, accessOf, type Need } from './access.ts'
import { type Asked, needsOf } from './asked.ts'
import type { Rules } from './policies.ts'
import { isKubeObject, type Reader, unlessOver } from './reader.ts'

/** What is known of the source. `unread`: nobody can tell now, and the controller will see. */
export type SourceSeen =
  | { readonly is: 'found'; readonly source: KubeObject; readonly referents: readonly KubeObject[] }
  | { readonly is: 'absent' }
  | { readonly is: 'kindAbsent' }
  | { readonly is: 'unread' }

/** What a review may know before it judges. */
export interface Seen {
  readonly access: Access
  /** what that access is to */
  readonly needs: readonly Need[]
  readonly source: SourceSeen
  /** what a pinned experiment started from; undefined of one that follows, or is yet to start */
  readonly pinned: Base | 'unread' | undefined
  /** undefined where nobody can tell now, which admits nothing */
  readonly rules: Rules | undefined
}

/** The policies of the cluster and the namespaces they are about. */
export interface PolicySource {
  /** undefined until they were read */
  policies(): readonly ExperimentPolicy[] | undefined
  /** undefined where nobody can tell now */
  namespace(name: string): Promise<NamespaceView | undefined>
}

/** Where to look, and until when. */
interface Looking {
  /** ends with `signal` */
  readonly kube: Reader
  readonly policies: PolicySource
  readonly signal: AbortSignal
}

/** Reads all that does not depend on anything read, at once. */
export async function look({ kube, policies, signal }: Looking, asked: Asked): Promise<Seen> {
  const { request, kind, place } = asked
  const needs = needsOf(asked)
  const [access, seen, pinned, rules] = await Promise.all([
    accessOf(kube, request.userInfo, needs),
    lookAtSource(kube, kind, place),
    lookAtPinned(kube, asked),
    unlessOver(lookAtRules(asked, policies), signal),
  ])
  const more = access === 'granted' ? referentNeeds(asked, seen) : []
  const found = { source: seen, pinned, rules }
  if (more.length === 0) return { ...found, access, needs }
  return { ...found, access: await accessOf(kube, request.userInfo, more), needs: more }
}

/** What policies judge `asked` by. */
export async function lookAtRules(asked: Spot, source: PolicySource): Promise<Rules | undefined> {
  const policies = source.policies()
  if (policies === undefined) return undefined
  const [own, other] = [asked.request.namespace, asked.place.namespace]
  if (policies.length === 0) return { policies, namespace: unlabelled(own), sourceNamespace: unlabelled(other) }
  const [namespace, sourceNamespace] = await Promise.all([
    source.namespace(own),
    own === other ? undefined : source.namespace(other),
  ])
  if (!namespace || (own !== other && !sourceNamespace)) return undefined
  return { policies, namespace, sourceNamespace: sourceNamespace ?? namespace }
}

/** Of a request what says where it is. */
type Spot = { readonly request: Pick<Asked['request'], 'namespace'>; readonly place: Pick<Asked['place'], 'namespace'> }

const unlabelled = (name: string): NamespaceView => ({ name, labels: {} })

/** A template that is another object's is for those who may get that object too. */
function referentNeeds({ kind, place: { namespace } }: Asked, seen: SourceSeen): readonly Need[] {
  const target = seen.is === 'found' ? kind.refersTo?.(seen.source) : undefined
  return target ? [{ verb: 'get', resource: target.resource, namespace, name: target.name }] : []
}

/** The base that an update of a pinned experiment keeps. */
async function lookAtPinned(kube: Reader, { request, experiment }: Asked): Promise<Seen['pinned']> {
  if (request.operation === 'CREATE' || !isPinned(experiment)) return undefined
  const { sourceRef } = experiment.spec
  const { namespace, uid } = experiment.metadata
  const path = pathOf(RESOURCES.ControllerRevision, { namespace, name: forkName(sourceRef.name, uid) })
  try {
    const found = await kube.request({ verb: 'get', path })
    return isKubeObject(found) ? pinnedIn(experiment, found)?.base : 'unread'
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return error.kind === 'notFound' ? undefined : 'unread'
  }
}

/** The workload `name` in `namespace`, as it is now. Never throws for a failing API server. */
export async function lookAtSource(
  kube: Reader,
  kind: WorkloadKind,
  place: { readonly namespace: string; readonly name: string },
): Promise<SourceSeen> {
  try {
    const path = pathOf(kind, place)
    const source = await kube.request({ verb: 'get', path, expects: kind.kind })
    if (!isKubeObject(source)) return { is: 'unread' }
    const referents = await Promise.all(
      kind.references(source).map((reference) => lookAtReferents(kube, place.namespace, reference)),
    )
    return { is: 'found', source, referents: referents.flat() }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    if (error.kind === 'kindAbsent') return { is: 'kindAbsent' }
    return error.kind === 'notFound' ? { is: 'absent' } : { is: 'unread' }
  }
}

/** What a source's template may be in. @throws KubeError other than `notFound` */
async function lookAtReferents(kube: Reader, namespace: string, reference: Reference): Promise<readonly KubeObject[]> {
  const { resource, name, labelSelector } = reference
  if (name === undefined) {
    const path = pathOf(resource, { namespace })
    const list = await kube.request({ verb: 'list', path, query: { labelSelector } })
    return listOr(member(list, 'items')).filter(isKubeObject)
  }
  try {
    const found = await kube.request({ verb: 'get', path: pathOf(resource, { namespace, name }) })
    return isKubeObject(found) ? [found] : []
  } catch (error) {
    if (error instanceof KubeError && error.kind === 'notFound') return []
    throw error
  }
}
