import type { KubeObject } from '../api/object.ts'
import { type Change, changesBetween } from './changes.ts'
import type { Shape } from './shape.ts'

/** A fork with its override, and the same fork with `overrideSpec: {}`. */
export interface OverrideEffect {
  readonly plain: KubeObject
  readonly changed: KubeObject
  /** the shape of the kind's `spec`; `NO_SHAPE` while the schema is not known */
  readonly shape: Shape
  /** every leaf in which the two specs differ; compared at the first call */
  readonly changes: () => readonly Change[]
}

/** Pairs a fork with the fork without override. They are compared once, however often `changes` is called. */
export function overrideEffect(of: Pick<OverrideEffect, 'plain' | 'changed' | 'shape'>): OverrideEffect {
  // not in a WeakMap: its values survive one garbage collection longer
  let known: readonly Change[] | undefined
  const changes = () => {
    known ??= changesBetween(of.plain.spec, of.changed.spec, of.shape)
    return known
  }
  return { ...of, changes }
}
