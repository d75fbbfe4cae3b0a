import { isObject, type JsonObject, type KubeObject, listOr, member, objectOr } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import type { WorkloadKind } from './kind.ts'
import { lastingMetadata } from './metadata.ts'

/** What a fork starts from: its source's `spec`, less all that must stay behind, and what is ours. */
export interface Base {
  readonly spec: JsonObject
  /** annotations of the workload itself */
  readonly annotations: Readonly<Record<string, string>>
  /** of a Rollout: whether it serves traffic or is merely wanted */
  readonly template?: 'Stable' | 'Desired'
  readonly warnings: readonly string[]
}

/** A base, or why a source has none: by itself, or until something else is there. */
export type Based =
  | { readonly is: 'base'; readonly base: Base }
  | { readonly is: 'refused'; readonly errors: readonly FieldError[] }
  | { readonly is: 'missing'; readonly message: string }

/** The part of `source` that a fork of `kind` takes over. Shares objects with its arguments: `derive` copies. */
export function baseOf(kind: WorkloadKind, source: KubeObject, referents: readonly KubeObject[] = []): Based {
  const found = kind.template(source, referents)
  if (found.is === 'missing') return found
  const { template, errors, warnings } = templateOf(found.template)
  if (errors.length > 0) return { is: 'refused', errors }
  const spec = { ...kind.takeOver(objectOr(source.spec)), ...kind.fixed, template } as JsonObject
  const annotations = Object.fromEntries(
    Object.entries(source.metadata.annotations ?? {}).filter(([key]) => kind.kept.includes(key)),
  )
  return {
    is: 'base',
    base: { spec, annotations, warnings, ...(found.base === undefined ? {} : { template: found.base }) },
  }
}

function templateOf(source: Readonly<Record<string, unknown>>) {
  const { nodeName: _node, ephemeralContainers: _debug, serviceAccount, ...pod } = objectOr(source.spec)
  // `serviceAccount` is the old alias that the API server still fills in; two names for one thing would conflict
  const named = serviceAccount && !pod.serviceAccountName ? { ...pod, serviceAccountName: serviceAccount } : pod
  const { spec, errors, warnings } = withUniqueItems(named)
  return { template: { ...source, metadata: lastingMetadata(source.metadata), spec }, errors, warnings }
}

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
