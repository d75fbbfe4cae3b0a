import { rivals, type Said } from './rivals.ts'
import type { WorldStory } from './world-making.ts'

/** In which window each verdict was reached first; absent: in none. */
export type Reached = Readonly<Partial<Record<Exclude<Said, 'Wait'>, number>>>
/** What came of one experiment, by the product and by the rules of others. */
export interface WorldEnding {
  readonly ours: Reached
  readonly others: Readonly<Record<string, Reached>>
}

/**
 * Plays an experiment to its last window, or until all have the verdict that the story asks about. They go on after
 * the other verdict: a wrong one may come later, too. `Inconclusive` counts as a Fail, because it is rolled back.
 */
export function playedWorld({ windows, of, begin, is }: WorldStory, seed: number): WorldEnding {
  const judge = begin(seed)
  const rules = Object.entries(of ? rivals(of) : {})
  const ours: Partial<Record<string, number>> = {}
  const others = Object.fromEntries(rules.map(([name]) => [name, {} as Partial<Record<string, number>>]))
  const wanted = is === 'harmless' || is === 'fails' ? 'Fail' : 'Pass'
  for (let window = 1; window <= windows; window += 1) {
    const { verdict, requests } = judge(window)
    ours[verdict === 'Inconclusive' ? 'Fail' : verdict] ??= window
    for (const [name, rule] of rules) {
      const reached = others[name] ?? {}
      // a rule that has the verdict is not asked again
      if (requests && reached[wanted] === undefined) reached[rule(requests)] ??= window
    }
    if ([ours, ...Object.values(others)].every((reached) => reached[wanted] !== undefined)) break
  }
  return { ours, others }
}
