import { at } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import type { KubeRequest, KubeStream } from '../../common/kube/client/request.ts'
import { kubeError } from '../common/kube/scripted-client.ts'
import { viewOf } from './cluster-history.ts'
import type { FakeApiServer } from './fake-api-server.ts'
import type { FaultyReads } from './faulty-reads.ts'
import { EXPERIMENT } from './running.ts'

/** What happens to a write. */
export type WriteFault =
  | 'none'
  | 'lost before it is stored'
  | 'lost after it is stored'
  | 'sent twice'
  | 'refused as outdated'
  | 'killed before it is stored'
  | 'killed after it is stored'

const WRITES = new Set(['apply', 'create', 'update', 'patch', 'delete'])
const DEPLOYMENTS = /\/deployments\//

/** The connection of one process, whose requests may go wrong. It keeps to versions and uids as a real server does. */
export class FaultyClient implements KubeClient {
  readonly #server: FakeApiServer
  readonly #nextFault: () => WriteFault
  readonly reads: FaultyReads
  #isDead = false
  /** what it should never have asked for */
  readonly violations: string[] = []

  constructor(server: FakeApiServer, reads: FaultyReads, nextFault: () => WriteFault) {
    this.#server = server
    this.reads = reads
    this.#nextFault = nextFault
  }

  /** Whether the process was killed. */
  get isDead(): boolean {
    return this.#isDead
  }

  /** No request is answered any more. */
  kill(): void {
    this.#isDead = true
    this.reads.end()
  }

  async request(request: KubeRequest): Promise<unknown> {
    if (this.#isDead) return new Promise(() => {})
    const view = viewOf(request)
    if (request.verb === 'list' && view) return this.reads.list(view, request)
    if (!WRITES.has(request.verb) || /\/events/.test(request.path)) return this.#server.request(request)
    const fault = this.#nextFault()
    if (fault === 'refused as outdated') throw kubeError('conflict')
    if (fault === 'lost before it is stored') throw kubeError('unreachable')
    if (fault === 'killed before it is stored') this.kill()
    else await this.#stored(request)
    if (fault === 'sent twice') await this.#stored(request).catch(() => undefined) // the first answer counts
    if (fault === 'killed after it is stored') this.kill()
    if (this.#isDead) return new Promise(() => {})
    if (fault === 'lost after it is stored') throw kubeError('unreachable')
    return this.#server.at(request.path.replace(/\/status$/, '')) ?? {}
  }

  async #stored(request: KubeRequest): Promise<void> {
    const { verb, path, body } = request
    const before = this.#server.at(path.replace(/\/status$/, ''))
    if (verb === 'delete') {
      const uid = at(body, 'preconditions', 'uid')
      if (uid === undefined) this.violations.push(`delete ${path} without uid`)
      if (before && before.metadata.uid !== uid) throw kubeError('conflict')
      const owner = this.#server.at(EXPERIMENT)?.metadata
      const isOwned = before?.metadata.ownerReferences?.some((each) => each.uid === owner?.uid)
      if (isOwned && !owner?.deletionTimestamp) this.violations.push(`delete ${path} of an experiment that stays`)
    } else {
      const { resourceVersion, uid } = { ...(at(body, 'metadata') as object | undefined) } as Record<string, unknown>
      if (resourceVersion !== undefined && resourceVersion !== before?.metadata.resourceVersion)
        throw kubeError(before ? 'conflict' : 'notFound')
      if (uid !== undefined && uid !== before?.metadata.uid) throw kubeError('conflict')
      if (DEPLOYMENTS.test(path) && !/-experiment-[0-9a-f]{10}$/.test(path)) this.violations.push(`${verb} ${path}`)
    }
    await this.#server.request(request)
  }

  async stream(stream: KubeStream): Promise<AsyncIterable<string>> {
    if (this.#isDead) return new Promise(() => {})
    const view = viewOf(stream)
    return view ? this.reads.watch(view, stream) : this.#server.stream(stream)
  }

  async close(): Promise<void> {}
}
