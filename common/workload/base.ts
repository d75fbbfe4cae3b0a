import { at, isObject, type JsonObject, type KubeObject, member, objectOr } from '../api/object.ts'
import type { WorkloadKind } from './kind.ts'
import { isDroppedKey } from './metadata.ts'
import type { Shape } from './shape.ts'
import { type Unique, withUniqueItems } from './unique-items.ts'

/**
 * What a fork starts from: its source's `spec`, less all that must stay behind. The errors are fields of the source for
 * which no fork can be applied, by path below the source.
 */
export type Base = Unique

/**
 * The part of `source` that a fork of `kind` takes over; shares no object with it. `shape` tells which lists have keys:
 * without it, two items of one key are left for the API server to refuse.
 */
export function baseOf(kind: WorkloadKind, source: KubeObject, shape: Shape): Base {
  const copied = Object.fromEntries(
    kind.copied.flatMap((key) => {
      const value = at(source, 'spec', key)
      return value === undefined ? [] : [[key, key === 'template' && isObject(value) ? templateOf(value) : value]]
    }),
  )
  return withUniqueItems(copied as JsonObject, shape)
}

function templateOf(source: Readonly<Record<string, unknown>>) {
  const { nodeName: _node, ephemeralContainers: _debug, serviceAccount, ...pod } = objectOr(source.spec)
  // `serviceAccount` is the old alias that the API server still fills in; two names for one thing would conflict
  const spec = serviceAccount && !pod.serviceAccountName ? { ...pod, serviceAccountName: serviceAccount } : pod
  return { ...source, metadata: templateMetadata(source.metadata), spec }
}

const templateMetadata = (metadata: unknown) => ({
  labels: withoutDropped(member(metadata, 'labels')),
  annotations: withoutDropped(member(metadata, 'annotations')),
})

const withoutDropped = (map: unknown) =>
  Object.fromEntries(Object.entries(objectOr(map)).filter(([key]) => !isDroppedKey(key)))
