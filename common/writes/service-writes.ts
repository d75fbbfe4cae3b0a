import { EXPERIMENT_ID, FIELD_MANAGER, SERVICE } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { at, isObject, type JsonObject } from '../json/json.ts'
import { experimentId } from '../workload/identity.ts'
import type { Write } from './write.ts'

interface PinOptions {
  /** a preview sends to shut pods, too */
  readonly isPreview: boolean
  readonly isRepair: boolean
}

/** Limits a Service to the fork of `experiment`. */
export function pin(
  { metadata }: ExperimentDeployment,
  service: KubeObject,
  { isPreview, isRepair }: PinOptions,
): Write {
  const selector = { [EXPERIMENT_ID]: experimentId(metadata.uid) }
  return serviceWrite(service, { selector, ...(isPreview ? PUBLISHED : {}) }, isRepair)
}

const PUBLISHED = { publishNotReadyAddresses: true }

/** Lets a Service send to all pods that its own selector finds. What only we published is removed, too. */
export function unpin(service: KubeObject): Write {
  const published = isStillPublished(service) ? { publishNotReadyAddresses: null } : {}
  return serviceWrite(service, { selector: { [EXPERIMENT_ID]: null }, ...published }, false)
}

/** Whether a Service has `publishNotReadyAddresses` from us alone. Whoever takes our key off may leave it there. */
export const isStillPublished = (service: KubeObject): boolean => isOnlyOurs(service, 'f:publishNotReadyAddresses')

/** Whether the controller wrote the selector of `service` last. The API server keeps one owner for all of its keys. */
export const hasOurSelector = (service: KubeObject): boolean => isOnlyOurs(service, 'f:selector')

/** Whether only the controller wrote a field of the spec. `field`: its name in `managedFields`. */
function isOnlyOurs({ metadata }: KubeObject, field: string): boolean {
  const writers = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => isObject(at(fieldsV1, 'f:spec', field)))
  const isOurs = writers.every(({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Update')
  return isOurs && writers.length > 0
}

/** With uid and resourceVersion: a change since it was read is a conflict, and everything is looked at again. */
function serviceWrite(of: KubeObject, spec: JsonObject, isRepair: boolean): Write {
  const { uid = '', resourceVersion = '' } = of.metadata
  const patch = { metadata: { uid, resourceVersion }, spec }
  return { verb: 'patch', role: 'service', resource: SERVICE, of, patch, isRepair }
}
