/** A measured value, and when it was measured. */
export type Point = readonly [minute: number, value: number]

/** A straight line through points: its slope, and the standard error of that. */
export interface Trend {
  readonly perMinute: number
  readonly error: number
}

/** The line with the least squares. @throws Error for fewer than three points, which have no error */
export function trendOf(points: readonly Point[]): Trend {
  if (points.length < 3) throw new Error(`${points.length} points are too few for a trend`)
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean(([minute]) => minute), mean(([, value]) => value)]
  const spread = points.reduce((sum, [minute]) => sum + (minute - x) ** 2, 0)
  const perMinute = points.reduce((sum, [minute, value]) => sum + (minute - x) * (value - y), 0) / spread
  const residual = points.reduce((sum, [minute, value]) => sum + (value - y - perMinute * (minute - x)) ** 2, 0)
  return { perMinute, error: Math.sqrt(residual / (points.length - 2) / spread) }
}

/** The points after the first third, in which caches and the optimizing compiler still fill memory. */
export function settled(points: readonly Point[]): readonly Point[] {
  const last = points.at(-1)?.[0] ?? 0
  return points.filter(([minute]) => minute >= last / 3)
}

/** `open` means that the error of the slope is too large for a verdict: the run was too short. */
export type Verdict = 'flat' | 'grows' | 'open'

/** Whether a trend exceeds `limit` per ten minutes, with twice its error to either side. */
export function verdictOn({ perMinute, error }: Trend, limit: number): Verdict {
  if (10 * (perMinute - 2 * error) > limit) return 'grows'
  return 10 * (perMinute + 2 * error) <= limit ? 'flat' : 'open'
}

/**
 * Whether a number that goes up and down, such as that of sockets, is higher at the end: the lower quartile of the last
 * half is more than a tenth, and more than 3, above that of the half before. What is left for ever is in every value,
 * and what is under way only in some: the more of them, the busier the machine is.
 */
export function levelVerdict(points: readonly Point[]): Verdict {
  const middle = Math.floor(points.length / 2)
  const [before = 0, after = 0] = [points.slice(0, middle), points.slice(middle)].map(lowerQuartile)
  return after > Math.max(before * 1.1, before + 3) ? 'grows' : 'flat'
}

const lowerQuartile = (points: readonly Point[]): number | undefined =>
  points.map(([, value]) => value).toSorted((a, b) => a - b)[Math.floor(points.length / 4)]
