import { at } from '../../json/json.ts'
import type { KubeClient } from '../client/client.ts'
import { KubeError } from '../client/errors.ts'
import { pathOf } from '../client/resources.ts'
import { type Arrival, arrival, type Intake } from './intake.ts'
import { isVersion } from './version.ts'

/** Objects per page of a list. The value is that of client-go. */
const PAGE_SIZE = 500

/** Which objects of a resource a reflector follows, and which parts of them. */
export interface View extends Intake {
  /** default: all namespaces */
  readonly namespace?: string
  readonly labelSelector?: string
  /** requests only `metadata`. For sources, whose templates are most of their bytes */
  readonly metadataOnly?: boolean
}

/**
 * Lists all objects of a view at one version, page by page. Sets no resourceVersion, so the list is consistent. (With
 * `0` the server would ignore `limit`.)
 * @throws KubeError; `gone` if reading the pages took so long that the server no longer keeps the rest
 */
export async function listAll(client: KubeClient, view: View, signal: AbortSignal) {
  const arrivals: Arrival[] = []
  let version: string | undefined
  let next: unknown
  do {
    const page = await client.request({
      verb: 'list',
      path: pathOf(view.resource, view),
      query: { limit: PAGE_SIZE, labelSelector: view.labelSelector, continue: next ? `${next}` : undefined },
      expects: view.metadataOnly ? 'PartialObjectMetadataList' : `${view.resource.kind}List`,
      accept: acceptOf(view, 'List'),
      signal,
    })
    const items = at(page, 'items')
    // `items` of an empty metadata-only list is null; a list without `items` is incomplete
    if (!Array.isArray(items) && items !== null) throw malformed('the list has no items')
    for (const item of items ?? []) arrivals.push(arrival(item, view) ?? throwMalformedObject())
    const found = at(page, 'metadata', 'resourceVersion')
    if (!isVersion(found)) throw malformed('the list has no version')
    version ??= found
    next = at(page, 'metadata', 'continue')
  } while (next)
  return { version, arrivals }
}

/** Opens a watch on a view for the changes after `version`. @throws KubeError */
export const watchFrom = (client: KubeClient, view: View, { version, timeoutSeconds, signal }: WatchFrom) =>
  client.stream({
    path: pathOf(view.resource, view),
    query: {
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: version,
      timeoutSeconds,
      labelSelector: view.labelSelector,
    },
    accept: acceptOf(view, ''),
    signal,
  })

interface WatchFrom {
  readonly version: string
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
}

const acceptOf = ({ metadataOnly }: View, suffix: 'List' | ''): string =>
  metadataOnly ? `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1` : 'application/json'

const malformed = (message: string): KubeError => new KubeError({ kind: 'unreachable', message })

const throwMalformedObject = (): never => {
  throw malformed('the list has an object without name, uid or version')
}
