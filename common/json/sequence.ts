/** One token of a pattern: a test of one step, or `many` for any number of steps, also none. */
export type Token<Step> = 'many' | ((step: Step) => boolean)

/**
 * All positions in a pattern that are possible after some steps, ascending. Unlike backtracking, following all of them
 * at once tests each token at most once per step.
 */
export type Positions = readonly number[]

/** The positions before the first step. */
export function start(pattern: readonly Token<never>[]): Positions {
  const positions: number[] = []
  addPosition(positions, pattern, 0)
  return positions
}

/** The positions after one more step; empty if `step` does not match at any of `positions`. */
export function advance<Step>(pattern: readonly Token<Step>[], positions: Positions, step: Step): Positions {
  const next: number[] = []
  for (const position of positions) {
    const token = pattern[position]
    if (token === 'many') addPosition(next, pattern, position)
    else if (token?.(step)) addPosition(next, pattern, position + 1)
  }
  return next
}

/** Whether one of `positions` is the end of `pattern`. */
export const isComplete = (pattern: readonly Token<never>[], positions: Positions): boolean =>
  positions.at(-1) === pattern.length

/** Adds `position`, and the next one if `many` stands there, since that may match no step. */
function addPosition(positions: number[], pattern: readonly Token<never>[], position: number): void {
  if (position <= (positions.at(-1) ?? -1)) return // it was added before, with all that follows
  let at = position
  for (positions.push(at); pattern[at] === 'many'; positions.push(at)) at += 1
}

/** Whether `pattern` matches all of `steps`. */
export const matchesWhole = <Step>(pattern: readonly Token<Step>[], steps: readonly Step[]): boolean =>
  isComplete(
    pattern,
    steps.reduce<Positions>((positions, step) => advance(pattern, positions, step), start(pattern)),
  )
