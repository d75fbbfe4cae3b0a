import { CR_NAME, EXPERIMENT_DEPLOYMENT, FIELD_MANAGER, OWNER_NAMESPACE } from '../../common/api/names.ts'
import type { KubeObject, ObjectMeta, ResourceType } from '../../common/api/object.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { pathOf } from '../../common/kube/client/resources.ts'
import { asObject, orUndefined } from '../../common/kube/reads/object.ts'
import { type Role, WRITTEN_OBJECT, type Write } from '../../common/plan/write.ts'
import { withHash } from '../../common/workload/derive.ts'
import type { Key } from '../runtime/queue.ts'
import type { WrittenVersions } from './written-versions.ts'

/** The object of a write that was made. */
interface Written {
  readonly role: Role
  readonly resource: ResourceType
  readonly of: KubeObject
}

interface WriterOptions {
  readonly client: Pick<KubeClient, 'request'>
  /** aborts the requests */
  readonly signal: AbortSignal
  readonly written: WrittenVersions
}

/**
 * Makes the writes of one pass. Only this class changes workloads and experiments. A write of the experiment is based on
 * the resourceVersion that the write before it returned. Every returned version is noted, so that the next pass waits until
 * the caches have it.
 */
export class Writer {
  readonly #options: WriterOptions
  /** of the experiment, after the last write of this pass */
  #resourceVersion: string | undefined

  constructor(options: WriterOptions) {
    this.#options = options
  }

  /** Returns the object as stored; undefined after a delete, also when it was gone already. @throws KubeError */
  async write(write: Write): Promise<KubeObject | undefined> {
    switch (write.verb) {
      case 'apply':
        return this.#apply(write)
      case 'create':
        return this.#create(write)
      case 'patch':
        return this.#patch(write)
      case 'delete':
        await this.#delete(write)
        return undefined
    }
  }

  /** Applies the whole status to the version that was observed. @throws KubeError `conflict` if it changed since */
  async applyStatus(experiment: ExperimentDeployment, status: ExperimentDeploymentStatus): Promise<void> {
    const { apiVersion, kind, metadata } = experiment
    const { name, namespace } = metadata
    const resourceVersion = this.#resourceVersion ?? metadata.resourceVersion
    const stored = await this.#options.client.request({
      verb: 'apply',
      path: pathOf(EXPERIMENT_DEPLOYMENT, { namespace, name, subresource: 'status' }),
      query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: true },
      body: { apiVersion, kind, metadata: { name, namespace, resourceVersion }, status },
      expects: kind,
      signal: this.#options.signal,
    })
    this.#noteExperiment(experiment.metadata, asObject(stored))
  }

  async #apply({ resource, role, object }: Extract<Write, { verb: 'apply' }>): Promise<KubeObject> {
    const { namespace = '', name } = object.metadata
    const stored = asObject(
      await this.#options.client.request({
        verb: 'apply',
        path: pathOf(resource, { namespace, name }),
        // Without force, the first apply does not take over the fields of an object that has the name already.
        query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: role === 'fork' },
        body: withHash(object),
        expects: resource.kind,
        signal: this.#options.signal,
      }),
    )
    this.#note({ role, resource, of: object }, stored)
    return stored
  }

  async #create({ resource, object }: Extract<Write, { verb: 'create' }>): Promise<KubeObject> {
    const { namespace = '' } = object.metadata
    const path = pathOf(resource, { namespace })
    return asObject(
      await this.#options.client.request({ verb: 'create', path, body: object, signal: this.#options.signal }),
    )
  }

  async #patch({ resource, role, of, patch }: Extract<Write, { verb: 'patch' }>): Promise<KubeObject> {
    const { namespace = '', name } = of.metadata
    const stored = asObject(
      await this.#options.client.request({
        verb: 'patch',
        contentType: 'application/merge-patch+json',
        path: pathOf(resource, { namespace, name }),
        query: { fieldManager: FIELD_MANAGER },
        body: patch,
        expects: resource.kind,
        signal: this.#options.signal,
      }),
    )
    this.#note({ role, resource, of }, stored)
    return stored
  }

  async #delete({ resource, role, of }: Extract<Write, { verb: 'delete' }>): Promise<void> {
    const { client, signal, written } = this.#options
    const { namespace = '', name, uid = '' } = of.metadata
    if (role === 'base') return deleteByUid(client, resource, of.metadata, signal)
    // The cache may be old. Only the uid of the present object proves that it is the fork.
    const path = pathOf(resource, { namespace, name })
    const live = await orUndefined(client.request({ verb: 'get', path, signal }))
    if (live?.metadata.uid === uid) await deleteByUid(client, resource, of.metadata, signal)
    written.noteDeletion(keyOfFork(of), { kind: resource.kind, name: `${namespace}/${name}`, uid })
  }

  #note({ role, resource, of }: Written, stored: KubeObject): void {
    const written = WRITTEN_OBJECT[role]
    if (written === 'fork') this.#noteFork(resource, of, stored)
    if (written === 'experiment') this.#noteExperiment(of.metadata, stored)
  }

  #noteFork({ kind }: ResourceType, fork: KubeObject, { metadata: { resourceVersion = '' } }: KubeObject): void {
    this.#options.written.noteFork(keyOfFork(fork), { kind, version: resourceVersion })
  }

  #noteExperiment({ namespace, name }: ObjectMeta, { metadata: { resourceVersion = '' } }: KubeObject): void {
    this.#resourceVersion = resourceVersion
    this.#options.written.noteExperiment(`${namespace}/${name}`, resourceVersion)
  }
}

/**
 * Deletes the object with the uid of `of`. Succeeds too if that object is gone, or another one has its name.
 * @throws KubeError
 */
async function deleteByUid(
  client: Pick<KubeClient, 'request'>,
  resource: ResourceType,
  of: ObjectMeta,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name, uid } = of
  const body = { preconditions: { uid }, propagationPolicy: 'Background' }
  try {
    await client.request({ verb: 'delete', path: pathOf(resource, { namespace, name }), body, signal })
  } catch (error) {
    if (!(error instanceof KubeError && (error.kind === 'notFound' || error.kind === 'conflict'))) throw error
  }
}

/** The key of the experiment to which a fork belongs. */
const keyOfFork = ({ metadata }: Pick<KubeObject, 'metadata'>): Key =>
  `${metadata.labels?.[OWNER_NAMESPACE] ?? metadata.namespace}/${metadata.labels?.[CR_NAME]}`
