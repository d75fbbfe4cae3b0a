import { at } from '../../json/json.ts'
import type { Yielder } from '../../program/yielder.ts'
import type { KubeClient } from '../client/client.ts'
import { KubeError } from '../client/errors.ts'
import { resourcePath } from '../client/resources.ts'
import { type Arrival, arrival, type Intake } from './intake.ts'
import { isVersion } from './version.ts'

/** Objects per page of a list. The value is that of client-go. */
const PAGE_SIZE = 500
/** A page that is longer than `MAX_PAGE_BYTES` is read again with a tenth of its objects, down to one. */
const SHORTER = 10
/** The page after it has up to twice as many: the objects of one namespace must not make all pages short. */
const LONGER = 2
/**
 * The longest page, in bytes. Its objects are in memory at once, two pages may be, and everybody who may create objects
 * can make them as large as etcd allows: then they take up to five times as much of a heap of 128 MiB.
 */
const MAX_PAGE_BYTES = 4 * 1024 * 1024

/** Which objects of a resource a reflector follows, and which parts of them it requests. */
export interface View extends Omit<Intake<unknown>, 'project'> {
  /** default: all namespaces */
  readonly namespace?: string
  readonly labelSelector?: string
  /** such as `metadata.name=cart` */
  readonly fieldSelector?: string
  /** requests only `metadata`. For sources, whose templates are most of their bytes */
  readonly metadataOnly?: boolean
}

/**
 * Lists all objects of a view at one version, page by page. Sets no resourceVersion, so the list is consistent. (With
 * `0` the server would ignore `limit`.) Other work comes in between if preparing the objects is long.
 * @throws KubeError; `gone` if reading the pages took so long that the server no longer keeps the rest
 */
export async function listAll<T>(client: KubeClient, view: View & Intake<T>, signal: AbortSignal, yielder?: Yielder) {
  const arrivals: Arrival<T>[] = []
  let version: string | undefined
  let next: unknown
  let limit = PAGE_SIZE
  do {
    const { page, ...read } = await readPage(client, view, { limit, next, signal })
    limit = Math.min(PAGE_SIZE, LONGER * read.limit)
    const items = at(page, 'items')
    // `items` of an empty metadata-only list is null; a list without `items` is incomplete
    if (!Array.isArray(items) && items !== null) throw malformed('the list has no items')
    for (const item of items ?? []) {
      if (yielder?.isLong) await yielder.nextTurn()
      arrivals.push(arrival(item, view) ?? throwMalformedObject())
    }
    const found = at(page, 'metadata', 'resourceVersion')
    if (!isVersion(found)) throw malformed('the list has no version')
    version ??= found
    next = at(page, 'metadata', 'continue')
  } while (next)
  return { version, arrivals }
}

interface PageRequest {
  readonly limit: number
  /** where the page before it ended; undefined for the first one */
  readonly next: unknown
  readonly signal: AbortSignal
}

/**
 * Reads one page of at most `limit` objects, or of fewer if these are too long, and how many that was. One alone is
 * never too long: if it is too large, it is marked, and not kept.
 */
async function readPage(client: KubeClient, view: View, { limit, next, signal }: PageRequest) {
  try {
    const page = await client.request({
      verb: 'list',
      path: resourcePath(view.resource, view),
      query: { limit, ...selectorsOf(view), continue: next ? `${next}` : undefined },
      expects: view.metadataOnly ? 'PartialObjectMetadataList' : `${view.resource.kind}List`,
      accept: acceptOf(view, 'List'),
      maxBytes: limit === 1 ? Number.POSITIVE_INFINITY : MAX_PAGE_BYTES,
      signal,
    })
    return { page, limit }
  } catch (error) {
    if (limit === 1 || !(error instanceof KubeError && error.kind === 'invalid')) throw error
    return readPage(client, view, { limit: Math.ceil(limit / SHORTER), next, signal })
  }
}

/** Opens a watch on a view for the changes after `version`. @throws KubeError */
export const watchFrom = (client: KubeClient, view: View, { version, timeoutSeconds, signal }: WatchFrom) =>
  client.stream({
    path: resourcePath(view.resource, view),
    query: {
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: version,
      timeoutSeconds,
      ...selectorsOf(view),
    },
    accept: acceptOf(view, ''),
    signal,
  })

interface WatchFrom {
  readonly version: string
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
}

const selectorsOf = ({ labelSelector, fieldSelector }: View) => ({ labelSelector, fieldSelector })

const acceptOf = ({ metadataOnly }: View, suffix: 'List' | ''): string =>
  metadataOnly ? `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1` : 'application/json'

const malformed = (message: string): KubeError => new KubeError({ kind: 'unreachable', message })

const throwMalformedObject = (): never => {
  throw malformed('the list has an object without name, uid or version')
}
