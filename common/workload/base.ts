import { at, isObject, type JsonObject, type KubeObject, listOr, member, objectOr } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import type { WorkloadKind } from './kind.ts'
import { isDroppedKey } from './metadata.ts'

/** What a fork starts from: its source's `spec`, less all that must stay behind. */
export interface Base {
  readonly spec: JsonObject
  /** fields of the source for which no fork can be applied, by path below the source */
  readonly errors: readonly FieldError[]
  readonly warnings: readonly string[]
}

/** The part of `source` that a fork of `kind` takes over; shares no object with it. */
export function baseOf(kind: WorkloadKind, source: KubeObject): Base {
  const copied = Object.fromEntries(
    kind.copied.flatMap((key) => {
      const value = at(source, 'spec', key)
      return value === undefined ? [] : [[key, structuredClone(value)]]
    }),
  )
  if (!isObject(copied.template)) return { spec: copied as JsonObject, errors: [], warnings: [] }
  const { template, errors, warnings } = templateOf(copied.template)
  return { spec: { ...copied, template } as JsonObject, errors, warnings }
}

function templateOf(source: Readonly<Record<string, unknown>>) {
  const { nodeName: _node, ephemeralContainers: _debug, serviceAccount, ...pod } = objectOr(source.spec)
  // `serviceAccount` is the old alias that the API server still fills in; two names for one thing would conflict
  const named = serviceAccount && !pod.serviceAccountName ? { ...pod, serviceAccountName: serviceAccount } : pod
  const { spec, errors, warnings } = withUniqueItems(named)
  return { template: { ...source, metadata: templateMetadata(source.metadata), spec }, errors, warnings }
}

const templateMetadata = (metadata: unknown) => ({
  labels: withoutDropped(member(metadata, 'labels')),
  annotations: withoutDropped(member(metadata, 'annotations')),
})

const withoutDropped = (map: unknown) =>
  Object.fromEntries(Object.entries(objectOr(map)).filter(([key]) => !isDroppedKey(key)))

/**
 * A stored workload may hold two list items of one key, which server-side apply refuses: of equal `env` names the last
 * wins in the kubelet too, so it stays; one port under two names has no such answer.
 */
function withUniqueItems(pod: Readonly<Record<string, unknown>>) {
  const errors: FieldError[] = []
  const warnings: string[] = []
  const lists = ['initContainers', 'containers'].filter((list) => Array.isArray(pod[list]))
  const mended = lists.map((list) => [
    list,
    listOr(pod[list]).map((container, index) => {
      if (!isObject(container)) return container
      const field = `spec.template.spec.${list}[${index}]`
      errors.push(...duplicatePorts(container, field))
      const env = lastOfEach(listOr(container.env))
      if (env.length === listOr(container.env).length) return container
      warnings.push(`${field}.env of the source names a variable twice; the experiment takes the last`)
      return { ...container, env }
    }),
  ])
  return { spec: { ...pod, ...Object.fromEntries(mended) }, errors, warnings }
}

function lastOfEach(items: readonly unknown[]): readonly unknown[] {
  const last = new Map(items.map((item, index) => [member(item, 'name'), index]))
  return items.filter((item, index) => last.get(member(item, 'name')) === index)
}

function duplicatePorts(container: Readonly<Record<string, unknown>>, field: string): FieldError[] {
  const first = new Map<string, number>()
  return listOr(container.ports).flatMap((port, index) => {
    const key = `${member(port, 'containerPort')}/${member(port, 'protocol') ?? 'TCP'}`
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, index)
    if (earlier === undefined) return []
    const message = `port ${key} is there already, as [${earlier}]; server-side apply takes it only once`
    return [{ field: `${field}.ports[${index}]`, message, cause: 'FieldValueDuplicate' as const }]
  })
}
