/** What decides which slowdowns can be detected. */
interface TrafficRate {
  /** of both arms together */
  readonly requestsPerSecond: number
  /** the part of the treatment */
  readonly share: number
  readonly intervalSeconds: number
  /** the standard deviation of the logarithm of the times */
  readonly spread: number
}

/** What the decision asks for. */
interface DetectableInput {
  readonly tolerance: number
  readonly alpha: number
  /** how many metrics count and have a bound */
  readonly metrics: number
}

/** π/√3: the standard deviation of the standard logistic distribution. */
const LOGISTIC = 1.814
/**
 * 0.84·√2. The evidence is about normal and its variance is twice its mean. So in 8 of 10 runs it is at least the mean
 * minus `SHOWN` times the square root of the mean.
 */
const SHOWN = 1.19
/** The mixture of bets is at most this much below the best one: 5 shifts of ranks in one of two parts of harm. */
const MIXTURE_COST = Math.log(10)
/** No slowdown above this is looked for: a thousand times as slow. */
const MOST = 1_000
const HALVINGS = 60

/**
 * The smallest slowdown, as a part, that a latency metric shows within `seconds` in 8 of 10 analysis runs. Infinity
 * if the traffic is too thin for any.
 */
export function detectable(traffic: TrafficRate, question: DetectableInput, seconds: number): number {
  const { requestsPerSecond, share, intervalSeconds } = traffic
  const requests = requestsPerSecond * intervalSeconds
  const [a, b] = [requests * share, requests * (1 - share)]
  const perWindow = (6 * a * b) / (a + b + 1)
  const needed = Math.log(question.metrics / question.alpha) + MIXTURE_COST
  const wanted = ((SHOWN + Math.sqrt(SHOWN ** 2 + 4 * needed)) / 2) ** 2
  const gain = (slowdown: number) =>
    shiftOf(slowdown, question.tolerance, traffic.spread) ** 2 * perWindow * (seconds / intervalSeconds)
  if (gain(MOST) < wanted) return Number.POSITIVE_INFINITY
  let [below, above] = [question.tolerance, MOST]
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (below + above) / 2
    if (gain(middle) < wanted) below = middle
    else above = middle
  }
  return above
}

/** Standard deviations between the median and the 90th percentile of a normal distribution. */
const UPPER_TENTH = 1.28

/**
 * The spread of `TrafficRate`, from the times that half and nine tenths of the requests take at most. Undefined if one
 * is not known, or if both are the same.
 */
export function spreadOf(half: number | undefined, nineTenths: number | undefined): number | undefined {
  if (half === undefined || nineTenths === undefined) return undefined
  const spread = Math.log(nineTenths / half) / UPPER_TENTH
  return spread > 0 && Number.isFinite(spread) ? spread : undefined
}

/** By how much the probability that the treatment's value is the larger one of a pair exceeds one half. */
function shiftOf(slowdown: number, tolerance: number, spread: number): number {
  const w = ((1 + slowdown) / (1 + tolerance)) ** (LOGISTIC / spread)
  if (Math.abs(w - 1) < 1e-6) return 0
  return (w * (w - 1 - Math.log(w))) / (w - 1) ** 2 - 0.5
}
