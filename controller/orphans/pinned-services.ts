import { EXPERIMENT_ID, SERVICE } from '../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../common/api/object.ts'
import { at, listOr, objectOr, textOr } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { asObject } from '../../common/kube/reads/object.ts'

/** Services per page. A page of more than 4 MiB, which are far longer than usual, is read again with fewer of them. */
const PAGE_SIZE = 100
const SHORTER = 10

/**
 * The Services in the namespace of `fork` whose selector has its id beside other labels, and those that are too large
 * to be read, which have the mark `UNREAD`. @throws KubeError
 */
export async function pinnedServices(
  client: Pick<KubeClient, 'request'>,
  { metadata, spec }: KubeObject,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const id = at(spec, 'selector', 'matchLabels', EXPERIMENT_ID)
  const path = resourcePath(SERVICE, { namespace: metadata.namespace ?? '' })
  const pinned: KubeObject[] = []
  const read = async (next: string | undefined, limit: number): Promise<unknown> => {
    try {
      const query = { limit, continue: next }
      return await client.request({ verb: 'list', path, query, expects: 'ServiceList', signal })
    } catch (error) {
      if (limit === 1 || !(error instanceof KubeError && error.kind === 'invalid')) throw error
      return read(next, limit / SHORTER)
    }
  }
  let next: string | undefined
  do {
    const list = await read(next, PAGE_SIZE)
    const services = listOr(at(list, 'items')).map(asObject)
    pinned.push(...services.filter((service) => service[UNREAD] !== undefined || isPinnedTo(id, service)))
    next = textOr(at(list, 'metadata', 'continue'), '') || undefined
  } while (next !== undefined)
  return pinned
}

/** Without the id the Service sends to the source again. One that selects by the id alone was made for this fork. */
function isPinnedTo(id: unknown, service: KubeObject): boolean {
  const selector = objectOr(at(service, 'spec', 'selector'))
  return selector[EXPERIMENT_ID] === id && Object.keys(selector).length > 1
}

const isPublished = ({ spec }: KubeObject): boolean => at(spec, 'publishNotReadyAddresses') === true

/**
 * What an Event says of an orphaned fork. `kept` are those of the `pinned` Services that are not returned, and
 * `waitsFor` is what else its deletion waits for.
 */
export function orphanMessage(pinned: readonly KubeObject[], kept: readonly KubeObject[], waitsFor?: string): string {
  const named = (services: readonly KubeObject[]) =>
    services.map(({ metadata }) => `service/${metadata.name}`).join(', ')
  const unread = kept.filter((service) => service[UNREAD] !== undefined)
  if (unread.length > 0)
    return `its experiment is gone, but ${named(unread)} may send only to this fork and is too large to be read, so the fork stays; make it smaller, and the controller deletes the fork`
  if (kept.length > 0)
    return (
      `its experiment is gone, but ${named(kept)} would send to nobody without this fork, so it stays; ` +
      `remove the key ${EXPERIMENT_ID} from the selector there, and the controller deletes the fork` +
      (kept.some(isPublished) ? '; remove publishNotReadyAddresses, too, unless you set it' : '')
    )
  return pinned.length > 0
    ? `its experiment is gone, so the source gets the requests to ${named(pinned)} again; then the controller deletes this fork`
    : waitsFor === undefined
      ? 'its experiment is gone, so the controller deletes this fork now'
      : `its experiment is gone; ${waitsFor}`
}
