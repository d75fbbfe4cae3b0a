/** What a pattern says about one step, or `many`: any number of steps, none included. */
export type Token<Step> = 'many' | ((step: Step) => boolean)

/**
 * Where in a pattern one can be, ascending and each once: all ways through it are followed at once instead of one after
 * the other, so that a step costs at most one look by each token.
 */
export type Places = readonly number[]

/** Before the first step. */
export function start(pattern: readonly Token<never>[]): Places {
  const places: number[] = []
  reach(places, pattern, 0)
  return places
}

/** After `step`; empty if `pattern` does not go on like this. */
export function advance<Step>(pattern: readonly Token<Step>[], places: Places, step: Step): Places {
  const next: number[] = []
  for (const place of places) {
    const token = pattern[place]
    if (token === 'many') reach(next, pattern, place)
    else if (token?.(step)) reach(next, pattern, place + 1)
  }
  return next
}

/** Whether `pattern` is complete in one of `places`. */
export const isComplete = (pattern: readonly Token<never>[], places: Places): boolean =>
  places.at(-1) === pattern.length

/** Adds `place`, and what is beyond a `many` there, since that may take nothing. */
function reach(places: number[], pattern: readonly Token<never>[], place: number): void {
  if (place <= (places.at(-1) ?? -1)) return // with all that is beyond it
  let at = place
  for (places.push(at); pattern[at] === 'many'; places.push(at)) at += 1
}

/** Whether `pattern` matches all of `steps`. */
export const matchesWhole = <Step>(pattern: readonly Token<Step>[], steps: readonly Step[]): boolean =>
  isComplete(
    pattern,
    steps.reduce<Places>((places, step) => advance(pattern, places, step), start(pattern)),
  )
