import type { ExperimentRow } from './experiment-view.ts'

/** How soon a deadline puts an experiment to the front, in milliseconds. */
const SOON_MS = 15 * 60_000

type Rule = (row: ExperimentRow, now: Date) => boolean

/** What a person should look at first. */
const FIRST: readonly Rule[] = [
  ({ state }) => state === 'Stalled',
  ({ state }) => state === 'Failed',
  // nobody but a person ends it
  ({ state, deadline }) => state === 'Paused' && deadline?.what !== 'pause',
  ({ isAlone }) => isAlone,
  ({ deadline }, now) => deadline !== undefined && Date.parse(deadline.at) - now.getTime() <= SOON_MS,
  ({ policies }) => policies.length > 0,
  ({ state }) => state === 'Progressing',
]

const rankOf = (row: ExperimentRow, now: Date): number => {
  const rank = FIRST.findIndex((holds) => holds(row, now))
  return rank < 0 ? FIRST.length : rank
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** The order of lists: first what a person should look at, then by namespace and name. For `toSorted`. */
export const compareRows = (one: ExperimentRow, other: ExperimentRow, now: Date): number =>
  rankOf(one, now) - rankOf(other, now) || byText(one.namespace, other.namespace) || byText(one.name, other.name)
