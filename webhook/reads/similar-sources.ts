import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { ResourceType } from '../../common/api/object.ts'
import { at, listOr, textOr } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { Timers } from '../../common/program/clock.ts'
import { TtlCache } from '../../common/program/ttl-cache.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { shortName } from '../../common/text/short-name.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import type { DecodedRequest } from '../review/request.ts'
import { accessOf } from './access.ts'
import { AS_TABLE, READ_MS, type Reader, unlessOver } from './reader.ts'

/** How long the names of a namespace are kept: an author who mends one name sends the next request soon. */
const KEPT_MS = 10_000
/** The most names of one kind that are compared. With more, the author has to look for the name. */
const MAX_NAMES = 500
/** The longest name that is compared, because the time grows with its square. Pods could not be named longer either. */
const MAX_LENGTH = 63

/** Finds the workloads that may be meant by the name of a source that does not exist. */
export class SimilarSources {
  readonly #kube: Reader
  readonly #names: TtlCache<readonly string[]>

  /** `kube` must not be bound to the signal of one review: reads are shared. */
  constructor(kube: Reader, timers: Pick<Timers, 'now'>) {
    this.#kube = kube
    this.#names = new TtlCache(timers, KEPT_MS)
  }

  /**
   * The workload of the same name of another kind, and the one of the same kind whose name is close: `deployment/cart`.
   * Only kinds that the requester may list there. Empty if nothing is close, or if something cannot be read in time.
   */
  async of(
    { request, kind, source }: DecodedRequest,
    { kube, signal }: { readonly kube: Reader; readonly signal: AbortSignal },
  ): Promise<readonly string[]> {
    const { namespace, name } = source
    if (name.length > MAX_LENGTH) return []
    const named = async (type: ResourceType): Promise<string | undefined> => {
      const needs = [{ verb: 'list', resource: type, namespace } as const]
      if ((await accessOf(kube, request.userInfo, needs)) !== 'granted') return undefined
      const names = (await unlessOver(this.#namesOf(type, namespace), signal)) ?? []
      const meant = type.kind === kind.kind ? didYouMean(name, names, MAX_NAMES) : names.find((each) => each === name)
      return meant === undefined ? undefined : shortName({ kind: type.kind, name: meant })
    }
    const found = await Promise.all(Object.values(WORKLOAD_KINDS).map(named))
    return found.filter((each) => each !== undefined)
  }

  #namesOf(type: ResourceType, namespace: string): Promise<readonly string[]> {
    const path = resourcePath(type, { namespace })
    return this.#names.of(path, async () => {
      try {
        const table = await this.#kube.request({
          verb: 'list',
          path,
          query: QUERY,
          accept: AS_TABLE,
          deadlineMs: READ_MS,
        })
        return { value: namesIn(table), isLasting: true }
      } catch (error) {
        if (!(error instanceof KubeError)) throw error
        return { value: [], isLasting: error.kind === 'kindAbsent' }
      }
    })
  }
}

/** Forks are no sources. */
const QUERY = { limit: MAX_NAMES, includeObject: 'None', labelSelector: `!${EXPERIMENT_ID}` }

/** The first column of the table of a workload is its name. */
const namesIn = (table: unknown): readonly string[] =>
  listOr(at(table, 'rows'))
    .map((row) => textOr(listOr(at(row, 'cells'))[0], ''))
    .filter((name) => name !== '')
