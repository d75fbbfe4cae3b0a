import { advance, isComplete, type Positions, start } from '../json/sequence.ts'
import type { OverridePath, Step } from '../override/path.ts'

/** A pattern that may still match below a step. */
interface Live {
  readonly pattern: OverridePath
  readonly places: Positions
}

/** How far each pattern has matched after a step. */
interface Mark {
  readonly step: Step | undefined
  readonly live: readonly Live[]
  /** some pattern covers the step and everything below it */
  readonly isCovered: boolean
}

/**
 * Returns a function from a path to the number of its first steps that some pattern matches; the pattern covers
 * everything below them. The smallest number counts. Undefined if no pattern covers the path. Successive paths that
 * share the objects of their first steps, as those of `changesBetween` do, share the work for these steps: an override
 * may change thousands of leaves in one place.
 */
export function coverage(patterns: readonly OverridePath[]): (path: readonly Step[]) => number | undefined {
  const first = patterns.map((pattern) => ({ pattern, places: start(pattern) }))
  const trail: Mark[] = [mark(undefined, first)]
  return (path) => {
    let taken = 0
    while (taken + 1 < trail.length && taken < path.length && trail[taken + 1]?.step === path[taken]) taken += 1
    trail.length = taken + 1
    for (const step of path.slice(taken)) {
      const { live, isCovered } = trail.at(-1) ?? END
      if (isCovered || live.length === 0) break
      trail.push(mark(step, after(live, step)))
    }
    return trail.at(-1)?.isCovered ? trail.length - 1 : undefined
  }
}

const END: Mark = { step: undefined, live: [], isCovered: false }

const mark = (step: Step | undefined, live: readonly Live[]): Mark => ({
  step,
  live,
  isCovered: live.some(({ pattern, places }) => isComplete(pattern, places)),
})

const after = (live: readonly Live[], step: Step): readonly Live[] =>
  live
    .map(({ pattern, places }) => ({ pattern, places: advance(pattern, places, step) }))
    .filter(({ places }) => places.length > 0)
