/** Writes of the size of a source, in the audit log: who made which, and whether a canary asked for it. */
import { EXPERIMENT_DEPLOYMENT, SCALE_MANAGER, SCALED, SCALED_BY } from '../common/api/names.ts'
import { at, isObject, listOr, textOr } from '../common/json/json.ts'
import { type SizeRecord, sizeRecordOf } from '../common/scaling/record.ts'
import { deployment } from '../common/workload/deployment.ts'
import { type AuditEvent, auditEvents } from './audit.ts'

/** A request under the field manager of sizes: a JSON patch of a Deployment. */
export interface SizeWrite {
  /** the user */
  readonly by: string
  /** `deployments/NAMESPACE/NAME` */
  readonly source: string
  /** the uid that the source had to have; undefined: it did not matter */
  readonly uid: string | undefined
  /** the `spec.replicas` that the source had to have; undefined: the number did not matter */
  readonly from: number | undefined
  /** the `spec.replicas` that is written; undefined: none is */
  readonly to: number | undefined
  /** what the label of the source had to say; undefined: it did not matter */
  readonly found: SizeRecord | undefined
  /** what its label says then; null: the label is removed; undefined: it stays */
  readonly record: SizeRecord | null | undefined
  /** 200 if the source was written; undefined: its author was stopped before the answer */
  readonly code: number | undefined
  readonly at: Date
}

/** What `event` writes under the field manager of sizes; undefined if it is under another one. */
export function sizeWriteOf(event: AuditEvent): SizeWrite | undefined {
  const { user, objectRef, requestURI, requestObject, responseStatus, stageTimestamp } = event
  if (!isAboutSize(requestURI) || !WRITES.has(event.verb)) return undefined
  const operations = listOr(requestObject)
  const valueAt = (op: string, path: string) =>
    at(
      operations.find((each) => at(each, 'op') === op && at(each, 'path') === path),
      'value',
    )
  const removes = operations.some((each) => at(each, 'op') === 'remove' && at(each, 'path') === LABEL)
  return {
    by: user.username,
    source: `${objectRef?.resource}/${objectRef?.namespace}/${objectRef?.name}`,
    uid: textOr(valueAt('test', '/metadata/uid'), '') || undefined,
    from: numberOr(valueAt('test', REPLICAS)),
    to: numberOr(valueAt('replace', REPLICAS)),
    found: recordIn(valueAt('test', LABEL)),
    record: removes ? null : recordIn(valueAt('add', LABEL)),
    code: responseStatus?.code,
    at: new Date(stageTimestamp),
  }
}

/** All such requests so far whose line contains `mentions`, such as a namespace, in the order of the answers. */
export async function sizeWrites(auditLog: string, mentions = ''): Promise<readonly SizeWrite[]> {
  const found: SizeWrite[] = []
  for await (const event of auditEvents(auditLog, mentions)) {
    const write = sizeWriteOf(event)
    if (write) found.push(write)
  }
  return found
}

/**
 * Whether writes of the size of a source are those of experiments with `scaleDownSource`, whose status says each
 * smaller number before it is written. The events of one audit log are given in their order.
 */
export class SizeWrites {
  /** the uid of each experiment, by `NAMESPACE/NAME` */
  readonly #uids = new Map<string, string>()
  /** the sources that each experiment has asked to scale, by its uid */
  readonly #asked = new Map<string, Set<string>>()
  /** what the status of each experiment has said, by its uid: `UID SIZE WRITTEN` of a source */
  readonly #said = new Map<string, Set<string>>()

  /** Remembers what the status of an experiment says. Call it with every event of the controller. */
  note({ verb, objectRef, requestObject, responseObject, responseStatus }: AuditEvent): void {
    const { resource, subresource, namespace = '', name = '' } = objectRef ?? {}
    if (resource !== EXPERIMENT_DEPLOYMENT.plural || subresource !== 'status' || verb !== 'patch') return
    if ((responseStatus?.code ?? 200) >= 300) return
    const key = `${namespace}/${name}`
    const uid = responseObject?.metadata?.uid ?? this.#uids.get(key)
    if (uid === undefined) return
    this.#uids.set(key, uid)
    const spec = at(responseObject, 'spec')
    if (at(spec, 'strategy', 'canary', 'scaleDownSource') === true) {
      const place = textOr(at(spec, 'sourceRef', 'namespace'), namespace)
      added(this.#asked, uid, `${deployment.plural}/${place}/${at(spec, 'sourceRef', 'name')}`)
    }
    // the log has no answer for an author that was stopped before it
    const scaled = at(responseObject ?? requestObject, 'status', 'strategy', 'scaled')
    if (isObject(scaled)) added(this.#said, uid, `${scaled.uid} ${scaled.size} ${scaled.written}`)
  }

  /** Why a request for a source, under the field manager of sizes, is wrong; undefined if it is not. */
  problemOf(event: AuditEvent): string | undefined {
    const write = sizeWriteOf(event)
    const problem =
      write && event.verb === 'patch' && event.objectRef?.subresource === undefined && isOfSizeOnly(event)
        ? (unreadIn(event) ?? this.#problemOfRecord(write) ?? this.#problemOfNumber(write))
        : 'writes more than the size of a source'
    return problem === undefined ? undefined : `${event.verb} ${write?.source} ${problem}`
  }

  #problemOfRecord({ source, from, to, record }: SizeWrite): string | undefined {
    if (!record) return undefined
    if (record.written !== (to ?? from)) return 'writes a label that says another number'
    const hasAsked = this.#asked.get(record.experiment)?.has(source) === true
    return hasAsked ? undefined : 'scales a source whose experiment did not ask for that'
  }

  #problemOfNumber({ uid, from, to, found, record }: SizeWrite): string | undefined {
    if (to === undefined) return undefined
    if (from === undefined) return 'scales a source of any size'
    if (to < from) {
      if (!record) return 'makes a source smaller without the label'
      const said = this.#said.get(record.experiment)
      return said?.has(`${uid} ${record.size} ${to}`) ? undefined : 'makes a source smaller than a status said before'
    }
    if (record) return to <= record.size ? undefined : 'makes a source larger than it was'
    if (found) return found.written === from && found.size === to ? undefined : 'gives back what no label says'
    const isSaid = [...this.#said.values()].some((said) => said.has(`${uid} ${to} ${from}`))
    return isSaid ? undefined : 'gives back what no status says'
  }
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
const REPLICAS = '/spec/replicas'
const pathOf = (map: string, key: string): string => `/metadata/${map}/${key.replaceAll('/', '~1')}`
const [LABEL, NAMES] = [pathOf('labels', SCALED), pathOf('annotations', SCALED_BY)]

/** What a patch of the size may do: to a path, or to an item of the managed fields. */
const OPERATIONS = new Set([
  ...['/metadata/uid', '/metadata/resourceVersion', REPLICAS, LABEL].map((path) => `test ${path}`),
  `replace ${REPLICAS}`,
  ...[LABEL, NAMES].flatMap((path) => [`add ${path}`, `remove ${path}`]),
])
const MAPS = new Set(['add /metadata/labels', 'add /metadata/annotations'])
const OF_MANAGER = /^remove \/metadata\/managedFields\/\d+$/

const isAboutSize = (requestURI: string): boolean =>
  new URL(requestURI, 'https://localhost').searchParams.get('fieldManager') === SCALE_MANAGER

/** Whether a request is a JSON patch of nothing but the size, our label, our annotation and our managed fields. */
function isOfSizeOnly({ objectRef, requestObject }: AuditEvent): boolean {
  const operations = listOr(requestObject)
  return (
    objectRef?.resource === deployment.plural &&
    operations.length > 0 &&
    operations.every((operation) => {
      const [what, value] = [`${at(operation, 'op')} ${at(operation, 'path')}`, at(operation, 'value')]
      const isEmptyMap = MAPS.has(what) && isObject(value) && Object.keys(value).length === 0
      return isEmptyMap || OPERATIONS.has(what) || OF_MANAGER.test(what)
    })
  )
}

/** A patch is for a version of the source, or for its uid and our label. */
function unreadIn({ requestObject }: AuditEvent): string | undefined {
  const tested = new Set(
    listOr(requestObject).flatMap((operation) => (at(operation, 'op') === 'test' ? [at(operation, 'path')] : [])),
  )
  const isRead = tested.has('/metadata/resourceVersion') || (tested.has('/metadata/uid') && tested.has(LABEL))
  return isRead ? undefined : 'writes a source that it has not read'
}

const recordIn = (label: unknown): SizeRecord | undefined =>
  sizeRecordOf({
    ...{ apiVersion: deployment.apiVersion, kind: deployment.kind },
    metadata: { name: '', labels: { [SCALED]: textOr(label, '') } },
  })

const numberOr = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

function added(sets: Map<string, Set<string>>, key: string, item: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(item))
}
