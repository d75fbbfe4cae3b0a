import { integralOf } from './quadrature.ts'

/** If there are more summands than this, the integral replaces the sum. The relative error is less than 10⁻⁹. */
const MOST_SUMMANDS = 2_000
const SERIES_BELOW = 1e-3

/** log(sinh x / x), without loss where x is near 0 or large. */
function h(x: number): number {
  const size = Math.abs(x)
  if (size < SERIES_BELOW) return (x * x) / 6 - x ** 4 / 180
  return size - Math.log(2 * size) + Math.log1p(-Math.exp(-2 * size))
}

/** The derivative of `h`. */
const slopeOfH = (x: number): number => (Math.abs(x) < SERIES_BELOW ? x / 3 - x ** 3 / 45 : 1 / Math.tanh(x) - 1 / x)

/**
 * The logarithm of the mean of exp(λ(U − ab/2)), where U counts the pairs in which one of `a` values is larger than one
 * of `b` values from the same continuous distribution. Ties make the true value smaller, so a bet stays fair.
 */
export function cumulant(a: number, b: number, lambda: number): number {
  const [fewer, more] = a <= b ? [a, b] : [b, a]
  const at = (i: number) => h((lambda * (more + i)) / 2) - h((lambda * i) / 2)
  if (fewer > MOST_SUMMANDS) return bySlopes(fewer, more, lambda, at)
  let sum = 0
  for (let i = 1; i <= fewer; i += 1) sum += at(i)
  return sum
}

/** The sum of `at` over 1…fewer as the integral over [½, fewer + ½], with the first correction of Euler–Maclaurin. */
function bySlopes(fewer: number, more: number, lambda: number, at: (i: number) => number): number {
  const slopeAt = (i: number) => (lambda / 2) * (slopeOfH((lambda * (more + i)) / 2) - slopeOfH((lambda * i) / 2))
  return integralOf(at, 0.5, fewer + 0.5) - (slopeAt(fewer + 0.5) - slopeAt(0.5)) / 24
}
