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

/** `value` against `against`, which is to be at most `atMost` times as much. */
export function ratioFigure(
  of: Pick<Figure, 'name' | 'value' | 'unit' | 'against'> & { readonly atMost: number },
): Figure {
  const { atMost, ...rest } = of
  const ratio = rest.value / rest.against
  return { ...rest, ratio, goal: `<= ${atMost}`, holds: ratio <= atMost }
}

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
