const POINTS = 32

interface Point {
  /** in (−1, 1) */
  readonly x: number
  readonly weight: number
}

/** The zeros of the Legendre polynomial of degree `POINTS` by Newton's method, with their weights. */
const RULE: readonly Point[] = Array.from({ length: POINTS }, (_, index) => {
  let x = Math.cos((Math.PI * (index + 0.75)) / (POINTS + 0.5))
  let slope = 0
  for (let step = 0; step < 20; step += 1) {
    let [former, present] = [1, x]
    for (let degree = 2; degree <= POINTS; degree += 1)
      [former, present] = [present, ((2 * degree - 1) * x * present - (degree - 1) * former) / degree]
    slope = (POINTS * (x * present - former)) / (x * x - 1)
    x -= present / slope
  }
  return { x, weight: 2 / ((1 - x * x) * slope * slope) }
})

/** The integral of a smooth function over [from, to], by Gauss–Legendre quadrature with 32 points. */
export function integralOf(f: (x: number) => number, from: number, to: number): number {
  const [middle, half] = [(from + to) / 2, (to - from) / 2]
  return half * RULE.reduce((sum, { x, weight }) => sum + weight * f(middle + half * x), 0)
}
