import type { Path } from './field-path.ts'

/** The way to a value, as a chain: a walk makes one for each value, and of a thousand hardly any is told. */
export interface Way {
  readonly depth: number
  readonly step: string | number
  readonly above: Way | undefined
}

/** Where a walk begins. */
export const TOP: Way = { depth: 0, step: '', above: undefined }

/** One step further. */
export const below = (above: Way, step: string | number): Way => ({ depth: above.depth + 1, step, above })

/** All steps from the top. */
export function pathOf(way: Way): Path {
  const path: (string | number)[] = []
  for (let at = way; at.above; at = at.above) path.push(at.step)
  return path.reverse()
}
