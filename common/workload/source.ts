import type { KubeObject } from '../api/object.ts'

/** A source, and the other objects that may contain its template. */
export interface Source {
  readonly object: KubeObject
  readonly referents: readonly KubeObject[]
}
