import { isObject } from '../json/json.ts'
import type { Condition, ExperimentDeploymentStatus, ServiceShare, SourceStatus, Warning } from './types.ts'

type Members<T> = { readonly [K in keyof Required<T>]: (value: unknown) => boolean }

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const orAbsent = (holds: (value: unknown) => boolean) => (value: unknown) => value === undefined || holds(value)
const listOf = (holds: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(holds)
const objectWith =
  <T>(members: Members<T>) =>
  (value: unknown): boolean =>
    isObject(value) && Object.entries<(value: unknown) => boolean>(members).every(([key, holds]) => holds(value[key]))

const isCondition = objectWith<Condition>({
  type: isText,
  status: isText,
  reason: isText,
  message: isText,
  observedGeneration: orAbsent(isNumber),
  lastTransitionTime: isText,
})

const isSource = objectWith<SourceStatus>({
  uid: isText,
  generation: isNumber,
  revision: orAbsent(isText),
  templateHash: isText,
  base: orAbsent(isText),
  pinned: orAbsent((value) => typeof value === 'boolean'),
})

const isService = objectWith<ServiceShare>({
  name: isText,
  selected: (value) => typeof value === 'boolean',
  reason: orAbsent(isText),
  message: orAbsent(isText),
  share: orAbsent(isText),
  experimentEndpoints: isNumber,
  readyEndpoints: isNumber,
})

const MEMBERS: Members<ExperimentDeploymentStatus> = {
  observedGeneration: isNumber,
  conditions: listOf(isCondition),
  experimentResourceRef: objectWith<Required<ExperimentDeploymentStatus>['experimentResourceRef']>({
    apiVersion: isText,
    kind: isText,
    name: isText,
    namespace: isText,
    uid: isText,
    generation: isNumber,
  }),
  replicas: isNumber,
  readyReplicas: isNumber,
  selector: isText,
  source: isSource,
  services: listOf(isService),
  warnings: listOf(objectWith<Warning>({ reason: isText, message: isText })),
  sourceName: isText,
  share: isText,
  image: isText,
  expiresAt: isText,
}

/**
 * The members of a stored status that have the types we write; the others are left out, as if we had never written them.
 * The CRD's schema has checked them, but whoever may write the status of a resource wrote it. Undefined without any.
 */
export function decodeStatus(status: unknown): ExperimentDeploymentStatus | undefined {
  if (!isObject(status)) return undefined
  const members: Readonly<Record<string, (value: unknown) => boolean>> = MEMBERS
  const sound = Object.entries(status).filter(([key, value]) => Object.hasOwn(members, key) && members[key]?.(value))
  return sound.length === 0 ? undefined : Object.fromEntries(sound)
}
