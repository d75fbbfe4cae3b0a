import { EXPERIMENT_DEPLOYMENT, FIELD_MANAGER } from '../../common/api/names.ts'
import type { KubeObject, ResourceType } from '../../common/api/object.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { isEqual } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../common/kube/client/request.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { asObject, orUndefined } from '../../common/kube/reads/object.ts'
import { isBeingDeleted } from '../../common/workload/identity.ts'
import { WRITTEN_OBJECT, type Write } from '../../common/writes/write.ts'
import type { WrittenVersions } from '../memory/written-versions.ts'
import { keyOf } from '../runtime/queue.ts'
import { ObjectWriter } from './object-writer.ts'
import { placeOf } from './ownership.ts'
import { requestOf } from './write-request.ts'

interface WriterOptions {
  readonly client: Pick<KubeClient, 'request'>
  /** aborts the requests */
  readonly signal: AbortSignal
  /** called with each write for which the next pass over its experiment waits */
  readonly written: ReturnType<WrittenVersions['of']>
  /** called when the API server says that an experiment or a fork is gone or is not as it was observed */
  readonly doubt: (object: Pick<KubeObject, 'metadata'>, resource: ResourceType) => void
}

type Deletion = Extract<Write, { verb: 'delete' }>
type PodWrite = Extract<Write, { role: 'pod' }>

/**
 * Makes the writes of one pass. Only this class changes workloads and experiments. A write of the experiment is based
 * on the resourceVersion that the write before it returned. The next pass waits until the caches have every version.
 */
export class Writer {
  readonly #options: WriterOptions
  readonly #objects = new ObjectWriter((request) => this.#request(request))
  /** of the experiment, after the last write of this pass */
  #resourceVersion: string | undefined

  constructor(options: WriterOptions) {
    this.#options = options
  }

  /** Returns the object as stored; undefined after a delete, also when it was gone already. @throws KubeError */
  async write(write: Write): Promise<KubeObject | undefined> {
    if (write.verb === 'delete') return this.#delete(write)
    const of = 'object' in write ? write.object : write.of
    const written = WRITTEN_OBJECT[write.role]
    if (write.verb === 'apply' && write.role === 'pod') return this.#writePod(write)
    if (written === 'experiment') return this.#writeExperiment(of, requestOf(write))
    const { resource } = write
    const store = () => this.#objects.store(write)
    const stored = await (written === 'fork' ? this.#doubting(of, resource, store) : store())
    const version = versionOf(stored)
    if (written === 'fork') this.#options.written.note({ is: 'fork', kind: resource.kind, version })
    if (written === 'analysisRun') this.#options.written.note({ is: 'analysisRun', version })
    return stored
  }

  /**
   * Whether the API server has `experiment` as this pass knows it. If not, the next pass does not trust the cache.
   * @throws KubeError
   */
  async isCurrent(experiment: ExperimentDeployment): Promise<boolean> {
    const { uid, name, namespace, resourceVersion } = experiment.metadata
    const live = await orUndefined(
      this.#request({ verb: 'get', path: resourcePath(EXPERIMENT_DEPLOYMENT, { namespace, name }) }),
    )
    const known = this.#resourceVersion ?? resourceVersion
    const isSame = live?.metadata.uid === uid && live.metadata.resourceVersion === known
    if (!isSame) this.#options.doubt(experiment, EXPERIMENT_DEPLOYMENT)
    return isSame
  }

  /** The status of a pod. The next pass sees it. */
  async #writePod(write: PodWrite): Promise<KubeObject> {
    const stored = asObject(await this.#request(requestOf(write)))
    this.#options.written.note({ is: 'pod', version: versionOf(stored) })
    return stored
  }

  /**
   * Applies the whole status to the version that was observed. If fields of other clients are left then, it is
   * replaced.
   * @throws KubeError `conflict` if it changed since
   */
  async applyStatus(experiment: ExperimentDeployment, status: ExperimentDeploymentStatus): Promise<void> {
    const { apiVersion, kind, metadata } = experiment
    const { name, namespace } = metadata
    const resourceVersion = this.#resourceVersion ?? metadata.resourceVersion
    const path = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace, name, subresource: 'status' })
    const stored = await this.#writeExperiment(experiment, {
      verb: 'apply',
      path,
      query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: true },
      body: { apiVersion, kind, metadata: { name, namespace, resourceVersion }, status },
      expects: kind,
    }).catch((error: unknown) => {
      // An apply makes null of a list that a replacement has stored before, and that is empty now. The CRD refuses it.
      if (error instanceof KubeError && error.kind === 'invalid') return undefined
      throw error
    })
    if (stored && isEqual(stored.status, status)) return
    await this.#writeExperiment(experiment, {
      verb: 'patch',
      contentType: 'application/json-patch+json',
      path,
      query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' },
      body: [
        { op: 'replace', path: '/metadata/resourceVersion', value: stored ? versionOf(stored) : resourceVersion },
        { op: 'replace', path: '/status', value: status },
      ],
      expects: kind,
    })
  }

  async #delete({ resource, role, of }: Deletion): Promise<undefined> {
    const { uid = '' } = of.metadata
    const path = resourcePath(resource, placeOf(of))
    if (WRITTEN_OBJECT[role] === 'fork') {
      await this.#deleteFork(path, uid)
      this.#options.written.note({ is: 'deletedFork', kind: resource.kind, name: keyOf(of), uid })
    } else await this.#deleteByUid(path, uid)
  }

  /**
   * The next pass waits until the cache has this deletion, so a conflict that left the fork as it was is thrown.
   * @throws KubeError
   */
  async #deleteFork(path: string, uid: string): Promise<void> {
    const read = () => orUndefined(this.#request({ verb: 'get', path, isNameEnough: true }))
    // The cache may be old. Only the uid of the present object proves that it is the fork.
    if ((await read())?.metadata.uid !== uid) return
    const conflict = await this.#deleteByUid(path, uid)
    const left = conflict && (await read())
    if (left?.metadata.uid === uid && !isBeingDeleted(left)) throw conflict
  }

  /**
   * Succeeds too if the object with that uid is gone, or another one has its name. Returns the conflict that says so.
   * @throws KubeError
   */
  async #deleteByUid(path: string, uid: string): Promise<KubeError | undefined> {
    const body = { preconditions: { uid }, propagationPolicy: 'Background' }
    try {
      await this.#request({ verb: 'delete', path, body })
      return undefined
    } catch (error) {
      if (error instanceof KubeError && error.kind === 'conflict') return error
      if (error instanceof KubeError && error.kind === 'notFound') return undefined
      throw error
    }
  }

  #request(request: Omit<KubeRequest, 'signal'>): Promise<unknown> {
    const { client, signal } = this.#options
    return client.request({ ...request, signal })
  }

  async #writeExperiment(experiment: Pick<KubeObject, 'metadata'>, request: KubeRequest): Promise<KubeObject> {
    const send = async () => asObject(await this.#request(request))
    const stored = await this.#doubting(experiment, EXPERIMENT_DEPLOYMENT, send)
    const version = versionOf(stored)
    this.#resourceVersion = version
    this.#options.written.note({ is: 'experiment', version })
    return stored
  }

  async #doubting<T>(object: Pick<KubeObject, 'metadata'>, resource: ResourceType, send: () => Promise<T>): Promise<T> {
    try {
      return await send()
    } catch (error) {
      if (error instanceof KubeError && (error.kind === 'notFound' || error.kind === 'conflict'))
        this.#options.doubt(object, resource)
      throw error
    }
  }
}

const versionOf = ({ metadata: { resourceVersion = '' } }: KubeObject): string => resourceVersion
