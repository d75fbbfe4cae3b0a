import { cumulant } from './cumulant.ts'
import { zeros } from './mixture.ts'
import { logWeightedCombinations } from './odds.ts'

/** How far from chance a shift of ranks is bet on, as a part of the largest. From section 4.1, as the next two. */
export const SHIFTS: readonly number[] = [0.02, 0.04, 0.08, 0.16, 0.32]
/** How many times as often as tolerated something is bet to happen. */
export const FACTORS: readonly number[] = [1.1, 1.25, 1.5, 2, 3, 5, 10]
/** Which part of its stake a bet on the sign of a difference risks. */
export const STAKES: readonly number[] = [0.2, 0.5, 0.8, 0.95]

/** What a bet looks for: 1 is harm, −1 is safety. */
export type BetDirection = 1 | -1

/** What happened in both arms during a window: events, and among how many requests or in how many seconds. */
export interface Counts {
  readonly events: number
  readonly exposure: number
  readonly controlEvents: number
  readonly controlExposure: number
}

/** How two samples of sizes `a` and `b` compare. */
export interface Ranks {
  /** in so many pairs the value of the treatment is the larger one; ties count one half */
  readonly u: number
  readonly a: number
  readonly b: number
}

/**
 * Increments of log e of one window: one for each of `SHIFTS`. Several values of `u` share most of the work. M1 of
 * section 4.1.
 */
export function rankBets({ a, b }: Omit<Ranks, 'u'>): (u: number, side: BetDirection) => readonly number[] {
  const bets = SHIFTS.map((shift) => {
    const lambda = (12 * shift) / (a + b + 1)
    return { lambda, cumulant: cumulant(a, b, lambda) }
  })
  return (u, side) => bets.map(({ lambda, cumulant: k }) => side * lambda * (u - (a * b) / 2) - k)
}

/**
 * The same for each of `FACTORS`, of events that follow Poisson's law. `ratio`: so often is tolerated. An arm without
 * exposure adds nothing, even where an event is counted in it. M2.
 */
export function rateSteps(counts: Counts, ratio: number, side: BetDirection): readonly number[] {
  const { events, exposure, controlEvents, controlExposure } = counts
  if (exposure === 0 || controlExposure === 0) return zeros(FACTORS.length)
  const all = events + controlEvents
  return FACTORS.map((factor) => {
    const bet = ratio * factor ** side
    const scale = (exposure * bet + controlExposure) / (exposure * ratio + controlExposure)
    return events * Math.log(bet / ratio) - all * Math.log(scale)
  })
}

/** The same, of events among requests: each happens or not. `odds`: what is tolerated. M2′. */
export function oddsSteps(counts: Counts, odds: number, side: BetDirection): readonly number[] {
  const { events, exposure: treatment, controlEvents, controlExposure: control } = counts
  const margins = { treatment, control, events: events + controlEvents }
  if (margins.events === 0 || margins.events === treatment + control) return zeros(FACTORS.length)
  const tolerated = logWeightedCombinations(margins, odds)
  return FACTORS.map((factor) => {
    const bet = odds * factor ** side
    return events * Math.log(bet / odds) - (logWeightedCombinations(margins, bet) - tolerated)
  })
}

/** The same, of the treatment alone beside a fixed rate. M0. */
export const fixedRateSteps = (
  { events, exposure }: Pick<Counts, 'events' | 'exposure'>,
  rate: number,
  side: BetDirection,
): readonly number[] =>
  exposure === 0
    ? zeros(FACTORS.length)
    : FACTORS.map((factor) => events * Math.log(factor ** side) - exposure * rate * (factor ** side - 1))

/**
 * The same for each of `STAKES`, of one value of each arm. `margin`: so much more is tolerated, as a part of the size
 * of the control, which may be negative. M3.
 */
export const signSteps = (treatment: number, control: number, margin: number, side: BetDirection): readonly number[] =>
  STAKES.map((stake) => Math.log1p(stake * side * Math.sign(treatment - (control + margin * Math.abs(control)))))
