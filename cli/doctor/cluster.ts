import { ABSENT, type Known, known, unknown } from '../../common/api/known.ts'
import type { KubeObject, ResourceType } from '../../common/api/object.ts'
import { isObject } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../common/kube/client/request.ts'
import { type PathOptions, resourcePath } from '../../common/kube/client/resources.ts'
import { asWholeObject, wholeItems } from '../../common/kube/reads/object.ts'
import { Semaphore } from '../../common/program/semaphore.ts'
import { CONNECTIONS } from '../cluster/connect.ts'
import { explained } from '../process/explain.ts'

/** How long each request may take. The API server waits for a webhook for 5 s. */
const DEADLINE_MS = 10_000

/** The cluster as checks see it: what cannot be read is unknown, and says why. */
export interface Cluster {
  /** The object of this name. */
  get(of: ResourceType, place: PathOptions): Promise<Known<KubeObject>>
  /** The objects that have the label `label`. */
  list(of: ResourceType, place: PathOptions, label: string): Promise<Known<readonly KubeObject[]>>
  /** What the API server answers to a new object that it need not keep. @throws KubeError */
  post(of: ResourceType, place: PathOptions, body: object, query?: KubeRequest['query']): Promise<unknown>
}

/** `client`, which sends as many requests at once as it has connections. */
export function clusterOf(client: Pick<KubeClient, 'request'>, signal: AbortSignal): Cluster {
  const limit = new Semaphore(CONNECTIONS)
  // the time of a request begins when it is sent, not while it waits for a connection
  const send = (request: KubeRequest) =>
    limit.run(() => client.request({ ...request, signal, deadlineMs: DEADLINE_MS }), signal)
  return {
    get: (of, place) =>
      orUnknown(async () =>
        asWholeObject(await send({ verb: 'get', path: resourcePath(of, place), expects: of.kind })),
      ),
    list: (of, place, labelSelector) =>
      orUnknown(async () => {
        const list = await send({ verb: 'list', path: resourcePath(of, place), query: { labelSelector } })
        return wholeItems(list)
          .filter((item) => isObject(item))
          .filter(isKubeObject)
      }),
    post: (of, place, body, query) =>
      send({
        verb: 'create',
        path: resourcePath(of, place),
        body: { apiVersion: of.apiVersion, kind: of.kind, ...body },
        ...(query === undefined ? {} : { query }),
      }),
  }
}

const isKubeObject = (
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & KubeObject => isObject(value.metadata)

/** A failed read as a value. An absent kind has no objects. */
async function orUnknown<T>(read: () => Promise<T>): Promise<Known<T>> {
  try {
    return known(await read())
  } catch (error) {
    if (error instanceof KubeError && (error.kind === 'notFound' || error.kind === 'kindAbsent')) return ABSENT
    return unknown(explained(error).message)
  }
}
