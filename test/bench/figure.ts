/** A measured figure, and the reference that is measured in the same run. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** the value of the reference, in the same unit */
  readonly against: number
  /** value ÷ against */
  readonly ratio: number
  /** `<= 2` */
  readonly goal: string
  readonly holds: boolean
}

/** A benchmark: its name on the command line, and what it measures. It prints its progress line by line. */
export interface Bench {
  readonly name: string
  readonly measures: string
  readonly run: (tell: (line: string) => void) => Promise<readonly Figure[]>
}

/** The limit of a ratio. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number }

type Measured = Pick<Figure, 'name' | 'value' | 'unit' | 'against'>

/** The ratio of `value` to `against`, and whether it keeps its limit. */
export function ratioFigure({ name, value, unit, against, ...goal }: Measured & Goal): Figure {
  const ratio = value / against
  const measured = { name, value, unit, against, ratio }
  return 'atMost' in goal
    ? { ...measured, goal: `<= ${goal.atMost}`, holds: ratio <= goal.atMost }
    : { ...measured, goal: `>= ${goal.atLeast}`, holds: ratio >= goal.atLeast }
}

/** The middle one of `values`; for an even number, the upper middle; 0 if there are none. */
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
