import type { KubeObject } from '../../../common/api/object.ts'
import { at, type JsonObject, objectOr } from '../../../common/json/json.ts'
import { resourcePath } from '../../../common/kube/client/resources.ts'
import { type SourceKind, WORKLOAD_KINDS } from '../../../common/workload/registry.ts'
import { type Api, ApiError } from '../../../sandbox/api.ts'

/** The sources of sequences: of each kind, and a Rollout whose template is that of a Deployment. */
export const SHAPES = ['Deployment', 'StatefulSet', 'Rollout', 'RolloutOfDeployment'] as const
export type Shape = (typeof SHAPES)[number]

/** A source as it was at a time, with what a fork takes its template from. */
export interface Snapshot {
  readonly source: KubeObject
  readonly template: JsonObject
  readonly referents: readonly KubeObject[]
}

/** What its owner changes: the template of its pods, or other fields of its `spec`. */
type Change = (template: JsonObject, spec: JsonObject) => { template?: JsonObject; spec?: JsonObject }

interface SourceOptions {
  readonly api: Api
  readonly namespace: string
  readonly name: string
  readonly shape: Shape
  /** the `spec` of a workload of the kind */
  readonly spec: unknown
}

/** A source whose owner changes it as people do: reads it, changes it and writes it back. */
export class Source {
  readonly kind: SourceKind
  readonly #options: SourceOptions

  constructor(options: SourceOptions) {
    this.#options = options
    this.kind = options.shape === 'RolloutOfDeployment' ? 'Rollout' : options.shape
  }

  async create(): Promise<void> {
    const { api, shape, name } = this.#options
    const labels = { app: name }
    const { template, replicas: _all, ...spec } = objectOr(this.#options.spec)
    const metadata = { ...objectOr(at(template, 'metadata')), labels }
    const own = { replicas: 0, selector: { matchLabels: labels }, template: { ...objectOr(template), metadata } }
    if (shape !== 'RolloutOfDeployment') {
      await api.create(this.#collection(this.kind), this.#object(this.kind, name, { ...spec, ...own }))
      return
    }
    const referent = `${name}-pods`
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: referent }
    const { template: _moved, ...others } = own
    await api.create(this.#collection('Deployment'), this.#object('Deployment', referent, own))
    await api.create(this.#collection('Rollout'), this.#object('Rollout', name, { ...spec, ...others, workloadRef }))
  }

  async read(): Promise<Snapshot> {
    const { api } = this.#options
    const [source, holder] = await Promise.all([
      api.get(this.#path(this.kind, this.#options.name)),
      api.get(this.#holder),
    ])
    const template = objectOr(at(holder, 'spec', 'template')) as JsonObject
    return { source, template, referents: this.#options.shape === 'RolloutOfDeployment' ? [holder] : [] }
  }

  /** Other clients write the object too, so a conflict is no failure. @throws ApiError if the API server refuses it */
  async change(how: Change): Promise<void> {
    const { api } = this.#options
    const { source, template } = await this.read()
    const changed = how(template, objectOr(source.spec) as JsonObject)
    if (changed.spec) await api.patch(this.#path(this.kind, this.#options.name), { spec: changed.spec })
    if (!changed.template) return
    const holder = await api.get(this.#holder)
    const spec = { ...objectOr(holder.spec), template: changed.template }
    try {
      await api.replace(this.#holder, { ...holder, spec })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error
      await this.change(how)
    }
  }

  /** Deletes the source, but not the object that it may refer to. */
  vanish(): Promise<void> {
    return this.#options.api.delete(this.#path(this.kind, this.#options.name))
  }

  /** Creates the source again, with the `spec` that it had. */
  async comeBack({ source: { spec } }: Snapshot): Promise<void> {
    const object = this.#object(this.kind, this.#options.name, objectOr(spec))
    await this.#options.api.create(this.#collection(this.kind), object)
  }

  async delete(): Promise<void> {
    await this.#options.api.delete(this.#path(this.kind, this.#options.name))
    await this.#options.api.delete(this.#holder)
  }

  /** The object that has the template. */
  get #holder(): string {
    const { shape, name } = this.#options
    return shape === 'RolloutOfDeployment' ? this.#path('Deployment', `${name}-pods`) : this.#path(this.kind, name)
  }

  #object(kind: SourceKind, name: string, spec: object) {
    return { apiVersion: WORKLOAD_KINDS[kind].apiVersion, kind, metadata: { name }, spec }
  }

  #collection(kind: SourceKind): string {
    return resourcePath(WORKLOAD_KINDS[kind], { namespace: this.#options.namespace })
  }

  #path(kind: SourceKind, name: string): string {
    return resourcePath(WORKLOAD_KINDS[kind], { namespace: this.#options.namespace, name })
  }
}
