/** One measured figure beside what it is measured against, in the same run. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** the other thing, in the same unit */
  readonly against: number
  /** value ÷ against */
  readonly ratio: number
  /** `<= 2` */
  readonly goal: string
  readonly holds: boolean
}

/** A bench: its name on the command line, and what it measures. Tells its progress line by line. */
export interface Bench {
  readonly name: string
  readonly measures: string
  readonly run: (tell: (line: string) => void) => Promise<readonly Figure[]>
}

/** What a ratio is held to. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number }

type Measured = Pick<Figure, 'name' | 'value' | 'unit' | 'against'>

/** `value` against `against`, which is to be at most, or at least, so many times as much. */
export function ratioFigure({ name, value, unit, against, ...goal }: Measured & Goal): Figure {
  const ratio = value / against
  const measured = { name, value, unit, against, ratio }
  return 'atMost' in goal
    ? { ...measured, goal: `<= ${goal.atMost}`, holds: ratio <= goal.atMost }
    : { ...measured, goal: `>= ${goal.atLeast}`, holds: ratio >= goal.atLeast }
}

/** The middle one of `values`, of an even number the upper middle; 0 of none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** The figures as lines of a table for people. */
export function table(figures: readonly Figure[]): string {
  const rows = [
    ['NAME', 'VALUE', 'AGAINST', 'UNIT', 'RATIO', 'GOAL', 'HOLDS'],
    ...figures.map(({ name, value, against, unit, ratio, goal, holds }) => [
      name,
      value.toFixed(2),
      against.toFixed(2),
      unit,
      ratio.toFixed(2),
      goal,
      holds ? 'yes' : 'NO',
    ]),
  ]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n')
}
