import type { KubeObject } from '../../../common/api/object.ts'
import { at } from '../../../common/json/json.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'

export const LEASE_PATH = '/apis/coordination.k8s.io/v1/namespaces/ops/leases/the-lease'

/** An API server in memory that has at most one Lease. It takes uid and version of a write as conditions. */
export class LeaseServer {
  lease: KubeObject | undefined
  /** every request so far: `update a_1`, with the holder in the body */
  readonly diary: string[] = []
  #version = 0

  /** @throws KubeError */
  answer({ verb, path, body }: KubeRequest): KubeObject {
    const holder = at(body, 'spec', 'holderIdentity')
    this.diary.push(holder === undefined ? verb : `${verb} ${holder || '(nobody)'}`)
    const isCreate = verb === 'create'
    if (path !== (isCreate ? LEASE_PATH.replace(/\/[^/]+$/, '') : LEASE_PATH)) throw new Error(`no ${path}`)
    if (verb === 'get' && !this.lease) throw failure('notFound')
    if (verb === 'get' && this.lease) return this.lease
    if (isCreate && this.lease) throw failure('alreadyExists')
    const { uid, resourceVersion } = (body as KubeObject).metadata
    // the API server answers so even if there is no Lease, because the body has a uid
    if (!isCreate && this.lease?.metadata.uid !== uid) throw failure('conflict')
    if (!isCreate && this.lease?.metadata.resourceVersion !== resourceVersion) throw failure('conflict')
    return this.store(body as KubeObject)
  }

  /** Changes the Lease, as another client does it. */
  store(lease: KubeObject): KubeObject {
    this.#version += 1
    const metadata = { uid: `uid-${this.#version}`, ...lease.metadata, resourceVersion: `${this.#version}` }
    this.lease = { ...lease, metadata }
    return this.lease
  }
}

const failure = (kind: KubeError['kind']) => new KubeError({ kind, message: kind })
