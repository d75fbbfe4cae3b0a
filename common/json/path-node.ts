import type { Path } from './field-path.ts'

/**
 * The path to a value as a linked list from the value up. A walk over a document makes one node per value and shares the
 * parents; a `Path` is made only for the few values that a message names.
 */
export interface PathNode {
  readonly depth: number
  readonly step: string | number
  readonly parent: PathNode | undefined
}

/** The path of the document itself. */
export const ROOT: PathNode = { depth: 0, step: '', parent: undefined }

/** The path of the member or item `step` of the value at `parent`. */
export const childOf = (parent: PathNode, step: string | number): PathNode => ({
  depth: parent.depth + 1,
  step,
  parent,
})

/** All steps from the root to `node`. */
export function pathOf(node: PathNode): Path {
  const path: (string | number)[] = []
  for (let at = node; at.parent; at = at.parent) path.push(at.step)
  return path.reverse()
}
