import { aligned } from '../aligned.ts'

/** A measured figure, and the reference that is measured in the same run. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** the value of the reference, in the same unit */
  readonly against: number
  /** value ÷ against */
  readonly ratio: number
  /** of the ratio: `<= 2`; of the value: `value <= 250`; or `none` */
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

/** As `ratioFigure`, but the limit is one of the value itself. The reference tells what the machine does meanwhile. */
export const limitFigure = ({ atMost, ...measured }: Measured & { readonly atMost: number }): Figure => ({
  ...measured,
  ratio: measured.value / measured.against,
  goal: `value <= ${atMost}`,
  holds: measured.value <= atMost,
})

/** The ratio of `value` to `against`, which the goals name, but without a limit. */
export const plainFigure = (measured: Measured): Figure => ({
  ...measured,
  ratio: measured.value / measured.against,
  goal: 'none',
  holds: true,
})

/** The smallest of `values` that 99 % of them do not exceed; 0 if there are none. */
export const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0

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
  return aligned(rows, '   ').join('\n')
}
