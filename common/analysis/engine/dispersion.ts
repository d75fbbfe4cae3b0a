import type { Counts } from './steps.ts'

/** All that is needed to say how many events come together. Each cell is a pod in a window. */
export interface Cells {
  readonly count: number
  readonly events: number
  readonly exposure: number
  /** the sum of events² ÷ exposure */
  readonly squares: number
}

/** Before the first window. */
export const NO_CELLS: Cells = { count: 0, events: 0, exposure: 0, squares: 0 }

/** `cells` with those of one more window. */
export const withCells = (cells: Cells, more: readonly Pick<Counts, 'events' | 'exposure'>[]): Cells =>
  more.reduce<Cells>(
    (sum, { events, exposure }) =>
      exposure > 0
        ? {
            count: sum.count + 1,
            events: sum.events + events,
            exposure: sum.exposure + exposure,
            squares: sum.squares + (events * events) / exposure,
          }
        : sum,
    cells,
  )

/**
 * The index of dispersion of events: by how much the variance of their number in a cell exceeds the mean (Pearson's
 * statistic by its degrees of freedom). Events that always come ten at a time have 10. It is 1 at least.
 */
export function dispersionOf({ count, events, exposure, squares }: Cells): number {
  if (count < 2 || events === 0) return 1
  return Math.max(1, ((squares * exposure) / events - events) / (count - 1))
}

/**
 * The index of dispersion of the events of several strata together. How they come together over strata is not known, so
 * it is as large as if they always did: the standard deviations add up.
 */
export function jointDispersion(strata: readonly Cells[]): number {
  const events = strata.reduce((sum, cells) => sum + cells.events, 0)
  if (events === 0) return 1
  return strata.reduce((sum, cells) => sum + Math.sqrt(dispersionOf(cells) * cells.events), 0) ** 2 / events
}

/**
 * Evidence of events that come `dispersion` at a time: so many of them are one. What speaks against the bet stays
 * whole, as it can only delay a verdict.
 */
export const dividedBy = (log: number, dispersion: number): number => (log > 0 ? log / dispersion : log)
