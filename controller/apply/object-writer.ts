import type { KubeObject } from '../../common/api/object.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../common/kube/client/request.ts'
import { asObject, orUndefined } from '../../common/kube/reads/object.ts'
import {
  type Changing,
  lateReplacementOf,
  releaseOf,
  replacementAfter,
  replacementOf,
  takeoverOf,
} from './ownership.ts'
import { requestOf } from './write-request.ts'

/** Kubernetes writes a few statuses in a row while the pods of a new spec start. */
const TAKEOVER_RETRIES = 5

type Request = (request: Omit<KubeRequest, 'signal'>) => Promise<unknown>

/** Writes objects other than experiments and pods. One such write may take several requests. */
export class ObjectWriter {
  readonly #request: Request

  constructor(request: Request) {
    this.#request = request
  }

  /** Makes the requests of a write. Returns the object as the last of them stored it. @throws KubeError */
  async store(write: Changing): Promise<KubeObject> {
    const replacement = replacementOf(write)
    if (replacement) await this.#request(replacement)
    const { applied, isReplaced } = await this.#applied(write)
    if (takeoverOf(write, applied)) return this.#takenOver(write, applied, isReplaced)
    const release = releaseOf(write, applied)
    return release ? this.#released(release, applied) : applied
  }

  /** Applies the object. If that is invalid only because of fields of other clients, the object is replaced first. */
  async #applied(write: Changing) {
    const apply = async () => asObject(await this.#request(requestOf(write)))
    try {
      return { applied: await apply(), isReplaced: false }
    } catch (error) {
      const replacement = replacementAfter(error, write)
      if (!replacement) throw error
      const again = this.#request(replacement).then(apply)
      const applied = await again.catch((refusal: unknown) => {
        throw replacementAfter(refusal, write) ? error : refusal
      })
      return { applied, isReplaced: true }
    }
  }

  /** Removes fields of a former derivation while the managed fields show that there may be some. */
  async #takenOver(write: Changing, applied: KubeObject, isReplaced: boolean): Promise<KubeObject> {
    const replacement = isReplaced ? undefined : lateReplacementOf(write, applied)
    return this.#owned(write, replacement ? asObject(await this.#request(replacement)) : applied)
  }

  /**
   * Takes over the fields of `object`. That request is for one version, and the workload controller may write a status
   * at any time, so it is made again for the present version while the spec is the same.
   * @throws KubeError `conflict` if the spec changed, or after the last of several conflicts
   */
  async #owned(write: Changing, object: KubeObject, retries = TAKEOVER_RETRIES): Promise<KubeObject> {
    const takeover = takeoverOf(write, object)
    if (!takeover) return object
    try {
      return asObject(await this.#request(takeover))
    } catch (error) {
      if (!(error instanceof KubeError) || error.kind !== 'conflict' || retries === 0) throw error
      const { path } = takeover
      const present = await orUndefined(this.#request({ verb: 'get', path, expects: write.resource.kind }))
      if (!present || !isSameSpec(present, object)) throw error
      return this.#owned(write, present, retries - 1)
    }
  }

  /** Gives up the fields, unless the Service changed meanwhile: then the next apply of its team is a conflict. */
  async #released(release: KubeRequest, applied: KubeObject): Promise<KubeObject> {
    try {
      return asObject(await this.#request(release))
    } catch (error) {
      if (error instanceof KubeError && (error.kind === 'conflict' || error.kind === 'notFound')) return applied
      throw error
    }
  }
}

const isSameSpec = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean =>
  a.uid === b.uid && a.generation === b.generation
