import { type JsonObject, type KubeObject, objectOr } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import type { WorkloadKind } from './kind.ts'
import { type Known, pruned } from './known.ts'
import { lastingMetadata } from './metadata.ts'
import type { Shape } from './shape.ts'
import { withUniqueItems } from './unique-items.ts'

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
  /** fields of the source for which no fork can be applied, by path below it */
  | { readonly is: 'refused'; readonly errors: readonly FieldError[] }
  | { readonly is: 'missing'; readonly message: string }

/** A source, what its template may be in, and which lists have keys. */
export interface Origin {
  readonly source: KubeObject
  readonly referents: readonly KubeObject[]
  /** without it, two items of one key are left for the API server to refuse */
  readonly shape: Shape
  /** what the kind's own schema knows of a template, where that is less than the API server's does; absent: all */
  readonly template?: Known | undefined
}

/** The part of a source that a fork of `kind` takes over. Its spec shares no object with them: forks do with it. */
export function baseOf(kind: WorkloadKind, { source, referents, shape, template }: Origin): Based {
  const found = kind.template(source, referents)
  if (found.is === 'missing') return found
  const taken = { ...kind.takeOver(objectOr(source.spec)), ...kind.fixed, template: templateOf(found.template) }
  const { spec: unique, errors, warnings } = withUniqueItems(taken as JsonObject, shape)
  if (errors.length > 0) return { is: 'refused', errors }
  const spec = template ? { ...unique, template: pruned(unique.template ?? null, template) } : unique
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
  const spec = serviceAccount && !pod.serviceAccountName ? { ...pod, serviceAccountName: serviceAccount } : pod
  return { ...source, metadata: lastingMetadata(source.metadata), spec }
}
