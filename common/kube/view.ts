import { at } from '../api/object.ts'
import type { KubeClient } from './client.ts'
import { KubeError } from './errors.ts'
import { type Arrival, arrival, type Intake } from './intake.ts'
import { pathOf } from './resources.ts'
import { isVersion } from './version.ts'

/** Objects per page of a list; client-go's. */
const PAGE_SIZE = 500

/** Which objects of a resource are looked at, and how much of them. */
export interface View extends Intake {
  /** default: all namespaces */
  readonly namespace?: string
  readonly labelSelector?: string
  /** only `metadata` crosses the wire: of sources, whose templates are most of their bytes */
  readonly metadataOnly?: boolean
}

/** A complete list, as of one version. */
export interface Snapshot {
  readonly version: string
  readonly arrivals: readonly Arrival[]
}

/**
 * All of a view, page by page. Consistent: without a resourceVersion (with `0` the server ignores `limit`).
 * @throws KubeError; `gone` where the pages took so long that the rest is no longer kept: what was read is worth nothing.
 */
export async function listAll(client: KubeClient, view: View, signal: AbortSignal): Promise<Snapshot> {
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
    // an empty metadata-only list says null; one that says nothing is torn
    if (!Array.isArray(items) && items !== null) throw misshapen('a list without items')
    for (const item of items ?? []) arrivals.push(arrival(item, view) ?? misfit())
    const found = at(page, 'metadata', 'resourceVersion')
    if (!isVersion(found)) throw misshapen('a list without a version')
    version ??= found
    next = at(page, 'metadata', 'continue')
  } while (next)
  return { version, arrivals }
}

/** Opens a watch on a view, for what is newer than `version`. @throws KubeError */
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

const misshapen = (message: string): KubeError => new KubeError({ kind: 'unreachable', message })

const misfit = (): never => {
  throw misshapen('a list with an object without name, uid or version')
}
