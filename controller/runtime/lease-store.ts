import type { KubeObject } from '../../common/api/object.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { orUndefined } from '../../common/kube/reads/object.ts'

/** How long one call may take. Two calls fit into the deadline of a holder. */
const CALL_MS = 5_000

export interface LeaseStoreOptions {
  /** a client of its own, without repetitions: no busy connection and no slow call of others delays a renewal */
  readonly client: Pick<KubeClient, 'request'>
  /** where the Lease is */
  readonly namespace: string
  /** of the Lease */
  readonly name: string
}

/** Reads and writes one Lease. Every method throws KubeError. */
export class LeaseStore {
  readonly #client: Pick<KubeClient, 'request'>
  readonly #collection: string
  readonly #path: string

  constructor({ client, namespace, name }: LeaseStoreOptions) {
    this.#client = client
    this.#collection = resourcePath(RESOURCES.Lease, { namespace })
    this.#path = resourcePath(RESOURCES.Lease, { namespace, name })
  }

  /** The Lease as it is now, or undefined. */
  read(): Promise<KubeObject | undefined> {
    return orUndefined(this.#client.request({ verb: 'get', path: this.#path, deadlineMs: CALL_MS }))
  }

  /** Creates the Lease. Undefined if there is one already. */
  create(body: object): Promise<KubeObject | undefined> {
    return unlessOvertaken(this.#client.request({ verb: 'create', path: this.#collection, body, deadlineMs: CALL_MS }))
  }

  /** Replaces the Lease. Undefined if it no longer has the uid and the version of `body`, or is gone. */
  replace(body: KubeObject): Promise<KubeObject | undefined> {
    return unlessOvertaken(this.#client.request({ verb: 'update', path: this.#path, body, deadlineMs: CALL_MS }))
  }
}

const unlessOvertaken = (answer: Promise<unknown>): Promise<KubeObject | undefined> =>
  orUndefined(answer, ['conflict', 'alreadyExists', 'notFound'])
