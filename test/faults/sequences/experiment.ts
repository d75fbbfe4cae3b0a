import { EXPERIMENT_DEPLOYMENT } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { isEqual } from '../../../common/json/json.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { forkName } from '../../../common/workload/identity.ts'
import { type SourceKind, WORKLOAD_KINDS } from '../../../common/workload/registry.ts'
import { type Api, ApiError } from '../../../sandbox/api.ts'
import { inTime } from '../../in-time.ts'

export type Spec = ExperimentDeployment['spec']

interface ExperimentOf {
  readonly api: Api
  readonly namespace: string
  readonly name: string
  /** of its source */
  readonly kind: SourceKind
}

/** An experiment, its fork, and the ways in which people write it. */
export class Experiment {
  readonly #of: ExperimentOf

  constructor(of: ExperimentOf) {
    this.#of = of
  }

  read(): Promise<ExperimentDeployment> {
    return this.#of.api.get(this.#path())
  }

  /** The fork of the experiment as it was read. */
  fork(of: ExperimentDeployment): Promise<KubeObject> {
    return this.#of.api.get(this.forkPath(of))
  }

  forkPath({ spec, metadata }: ExperimentDeployment): string {
    const name = forkName(spec.sourceRef.name, metadata.uid)
    return resourcePath(WORKLOAD_KINDS[this.#of.kind], { namespace: this.#of.namespace, name })
  }

  async create(spec: object): Promise<void> {
    const { api, namespace } = this.#of
    await inTime(() => api.create(resourcePath(EXPERIMENT_DEPLOYMENT, { namespace }), this.#object(spec)))
  }

  delete(): Promise<void> {
    return this.#of.api.delete(this.#path())
  }

  /** Writes a patch of the experiment. */
  patch(body: object, type: 'merge' | 'json' = 'merge'): Promise<boolean> {
    return this.#isTaken(() => this.#of.api.patch(this.#path(), body, type))
  }

  /** As `kubectl scale` does. */
  scale(replicas: number): Promise<boolean> {
    return this.#isTaken(() => this.#of.api.patch(this.#path('scale'), { spec: { replicas } }))
  }

  /** As `kubectl apply --server-side` does. What other clients set stays. */
  apply(spec: Spec): Promise<boolean> {
    return this.#isTaken(() => this.#of.api.apply(this.#path(), this.#object(spec), 'author'))
  }

  /** Writes the whole experiment, as `kubectl replace` and `kubectl edit` do. */
  put(spec: Spec): Promise<boolean> {
    const write = async (): Promise<unknown> => {
      try {
        return await this.#of.api.replace(this.#path(), { ...(await this.read()), spec })
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 409)) throw error
        return write() // its status was written in between
      }
    }
    return this.#isTaken(write)
  }

  /** Whether a review refuses a JSON patch. Nothing is stored. */
  async isRefused(body: object): Promise<boolean> {
    try {
      await inTime(() => this.#of.api.patch(`${this.#path()}?dryRun=All`, body, 'json'))
      return false
    } catch (error) {
      if (isRefusal(error)) return true
      throw error
    }
  }

  /** @returns whether the write was taken. @throws Error if it was refused and something has changed nevertheless */
  async #isTaken(write: () => Promise<unknown>): Promise<boolean> {
    const experiment = await this.read()
    const fork = await this.fork(experiment)
    try {
      await inTime(write)
      return true
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
    const [now, still] = await Promise.all([this.read(), this.fork(experiment)])
    if (!isEqual(now.spec, experiment.spec) || now.metadata.generation !== experiment.metadata.generation)
      throw new Error('a refused change has changed the experiment')
    if (still.metadata.uid !== fork.metadata.uid || still.metadata.generation !== fork.metadata.generation)
      throw new Error('a refused change has changed the fork')
    return false
  }

  #object(spec: object) {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    return { apiVersion, kind, metadata: { name: this.#of.name }, spec }
  }

  #path(subresource?: string): string {
    const { namespace, name } = this.#of
    const of = { namespace, name }
    return resourcePath(EXPERIMENT_DEPLOYMENT, subresource === undefined ? of : { ...of, subresource })
  }
}

/** Whether the API server said what is wrong with a write, and not that it could not find out. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError &&
  [400, 403, 422].includes(error.status) &&
  !/deadline exceeded|could not be read|timed out/.test(error.message)
