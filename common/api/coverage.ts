import type { OverridePath, Step } from './override-path.ts'
import { advance, isComplete, type Places, start } from './sequence.ts'

/** A pattern that may still cover what is below a step. */
interface Live {
  readonly pattern: OverridePath
  readonly places: Places
}

/** How far the patterns are after a step. */
interface Mark {
  readonly step: Step | undefined
  readonly live: readonly Live[]
  /** some pattern covers the step and all below it */
  readonly isCovered: boolean
}

/**
 * Tells of a path how many of its steps lead to what a pattern covers with all below it, by the pattern that covers
 * most; undefined where none covers it. Paths that follow each other and share their first steps, the same objects as
 * from `changesBetween`, share the work for these too: an override may change thousands of leaves in one place.
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
