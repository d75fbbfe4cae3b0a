import { PROMOTION_MANAGER, SCALE_MANAGER } from '../common/api/names.ts'
import { at, isEqual, isObject } from '../common/json/json.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import type { AuditEvent } from './audit.ts'
import { SizeWrites } from './size-writes.ts'

const WORKLOADS = new Set(Object.values(WORKLOAD_KINDS).map(({ plural }) => plural))
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
const FORK = /-experiment-[0-9a-f]{10}$/
/** What makes a Rollout skip its own steps. */
const SKIPS_STEPS = { promoteFull: true }
const RECORD = /-experiment-[0-9a-f]{10}-promotion$/

/**
 * Whether writes of the controller to workloads that are no forks are promotions: under the name of promotions, with
 * just what a record says that the controller has made before, and each once. Or whether they are writes of a size, for
 * an experiment that asked for that. The events of one audit log are given in their order.
 */
export class SourceWrites {
  /** the patches of all records, by namespace */
  readonly #recorded = new Map<string, Patches[]>()
  /** the generation that the last write left, by source */
  readonly #written = new Map<string, unknown>()
  readonly #sizes = new SizeWrites()

  /** Remembers what the controller recorded. Call it with every event of the controller. */
  note(event: AuditEvent): void {
    const { verb, objectRef, requestObject, responseStatus } = event
    this.#sizes.note(event)
    const { resource, namespace = '' } = objectRef ?? {}
    const name = objectRef?.name ?? requestObject?.metadata.name ?? ''
    if (resource !== 'controllerrevisions' || verb !== 'create' || !RECORD.test(name)) return
    if ((responseStatus?.code ?? 500) >= 300) return
    const known = this.#recorded.get(namespace) ?? []
    const data = at(requestObject, 'data')
    this.#recorded.set(namespace, [...known, { forward: at(data, 'forward'), inverse: at(data, 'inverse') }])
  }

  /** Why a write of the controller is neither; undefined if it is one of both, or is no write of a source. */
  problemOf(event: AuditEvent): string | undefined {
    const { verb, objectRef, requestURI, requestObject, responseStatus, responseObject } = event
    const { resource = '', subresource, namespace = '', name = '' } = objectRef ?? {}
    if (!isOfSource(event) || !WRITES.has(verb)) return undefined
    const what = `${verb} ${resource}/${namespace}/${name}`
    const query = new URL(requestURI, 'https://localhost').searchParams
    const manager = query.get('fieldManager')
    if (manager === SCALE_MANAGER) return this.#sizes.problemOf(event)
    if (verb !== 'patch' || manager !== PROMOTION_MANAGER) return `${what} writes a source, and is no promotion`
    if (query.get('dryRun') === 'All') return undefined // it stores nothing
    if (subresource === 'status' && isEqual(at(requestObject, 'status'), SKIPS_STEPS)) return undefined
    if (subresource !== undefined) return `${what} writes a source, and is no promotion`
    const spec = at(requestObject, 'spec')
    const isRecorded = (of: Patches) => isEqual(of.forward, spec) || isPartOf(spec, of)
    if (!isObject(spec) || this.#recorded.get(namespace)?.some(isRecorded) !== true)
      return `${what} writes a source with what no record says`
    if (!at(requestObject, 'metadata', 'uid') || !at(requestObject, 'metadata', 'resourceVersion'))
      return `${what} writes a source that it has not read`
    if ((responseStatus?.code ?? 500) >= 300) return undefined // a conflict, which wrote nothing
    const generation = at(responseObject, 'metadata', 'generation')
    const source = `${resource}/${namespace}/${name}`
    const isAgain = this.#written.get(source) === generation
    this.#written.set(source, generation)
    return isAgain ? `${what} was written already: generation ${generation}` : undefined
  }
}

/** Of a record: RFC 7386, to the promoted values, and back to the former ones. */
interface Patches {
  readonly forward: unknown
  readonly inverse: unknown
}

/**
 * Whether the patch of an undo takes nothing back but what a record says, and perhaps less, because others changed the
 * rest. The items of a list are not compared: it is written whole, with what others changed in it.
 */
function isPartOf(patch: unknown, { forward, inverse }: Patches): boolean {
  if (isObject(patch))
    return Object.entries(patch).every(([key, value]) => isPartOf(value, membersOf({ forward, inverse }, key)))
  return Array.isArray(patch) ? Array.isArray(inverse) || inverse === null : isEqual(patch, inverse)
}

/** What the patches say of a member. What a promotion added is removed whole, or member by member. */
function membersOf({ forward, inverse }: Patches, key: string): Patches {
  const added = at(forward, key)
  return { forward: added, inverse: inverse === null && added !== undefined ? null : at(inverse, key) }
}

/** Whether `event` is about a workload that is not named as a fork. */
export const isOfSource = ({ objectRef }: AuditEvent): boolean =>
  WORKLOADS.has(objectRef?.resource ?? '') && !FORK.test(objectRef?.name ?? '')
