import { cumulant } from './cumulant.ts'
import { zeros } from './mixture.ts'
import { logWeightedCombinations } from './odds.ts'

/** The shifts of the ranks that are bet on: by how much more than ½ the treatment's value is the larger of a pair. */
export const SHIFTS: readonly number[] = [0.02, 0.04, 0.08, 0.16, 0.32]
/** The bets on rates and odds: events happen this many times as often as is tolerated. */
export const FACTORS: readonly number[] = [1.1, 1.25, 1.5, 2, 3, 5, 10]
/** The part of its capital that a bet on the sign of a difference risks. */
export const STAKES: readonly number[] = [0.2, 0.5, 0.8, 0.95]

/** The part of what a bet may wager at most: with less it loses less where it is wrong. */
export const WAGERS: readonly number[] = [0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95]

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
  /** the number of pairs in which the value of the treatment is the larger one; ties count one half */
  readonly u: number
  readonly a: number
  readonly b: number
}

/**
 * The Mann–Whitney bets of one window. For each shift d of `SHIFTS`, with λ = 12d / (a + b + 1), the increment of log e
 * is side · λ (u − ab/2) − cumulant(a, b, λ). The cumulants do not depend on `u`: they are computed once.
 */
export function rankBets({ a, b }: Omit<Ranks, 'u'>): (u: number, side: BetDirection) => readonly number[] {
  const bets = SHIFTS.map((shift) => {
    const lambda = (12 * shift) / (a + b + 1)
    return { lambda, cumulant: cumulant(a, b, lambda) }
  })
  return (u, side) => bets.map(({ lambda, cumulant: k }) => side * lambda * (u - (a * b) / 2) - k)
}

/**
 * The Poisson bets of one window: an increment of log e for each of `FACTORS`, for events that follow Poisson's law.
 * `ratio`: the tolerated ratio of the two rates. If an arm has no exposure, the increments are 0, whatever was counted.
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

/**
 * The share bets of one window: an increment of log e for each of `WAGERS`. They bet that the part of all events that
 * the treatment has is larger than its part of the exposure allows, at a rate of `ratio` times that of the control. It
 * is between 0 and 1 however the events of a window come together, so a window is worth one bet, not each event.
 */
export function shareSteps(counts: Counts, ratio: number): readonly number[] {
  const { events, exposure, controlEvents, controlExposure } = counts
  const all = events + controlEvents
  if (all === 0 || exposure === 0 || controlExposure === 0) return zeros(WAGERS.length)
  return boundedSteps(events / all, shareAt({ exposure, controlExposure }, ratio))
}

/** The part of the events that the treatment has, if they happen to it `ratio` times as often. */
const shareAt = ({ exposure, controlExposure }: Pick<Counts, 'exposure' | 'controlExposure'>, ratio: number): number =>
  (exposure * ratio) / (exposure * ratio + controlExposure)

/**
 * As `shareSteps`, of strata together: the part of all their events that the treatment has, which is allowed as much of
 * each stratum as its exposure there allows. Events that come together may be of several strata, so all strata of a
 * window are one bet, too.
 */
export function jointShareSteps(strata: readonly Counts[], ratio: number): readonly number[] {
  const compared = strata.filter(({ exposure, controlExposure }) => exposure > 0 && controlExposure > 0)
  const sum = (of: (counts: Counts) => number) => compared.reduce((all, counts) => all + of(counts), 0)
  const all = sum(({ events, controlEvents }) => events + controlEvents)
  if (all === 0) return zeros(WAGERS.length)
  const allowed = sum((counts) => (counts.events + counts.controlEvents) * shareAt(counts, ratio))
  return boundedSteps(sum(({ events }) => events) / all, allowed / all)
}

/** As `shareSteps`, but the bet is that a larger part of the treatment's requests than `rate` are events. */
export const partSteps = (
  { events, exposure }: Pick<Counts, 'events' | 'exposure'>,
  rate: number,
): readonly number[] => (exposure === 0 ? zeros(WAGERS.length) : boundedSteps(Math.min(1, events / exposure), rate))

/** A smaller mean would make a bet of any number that is not 0 as large as nobody can write. */
const LEAST_MEAN = 1e-12

/** Bets that the mean of a number between 0 and 1 is above `mean`. */
function boundedSteps(part: number, mean: number): readonly number[] {
  const least = Math.max(LEAST_MEAN, mean)
  return WAGERS.map((wager) => Math.log1p((wager * (part - least)) / least))
}

/**
 * The odds bets of one window: as `rateSteps`, but each request has an event or none, so the number of events of the
 * treatment is hypergeometric. `odds`: the tolerated odds ratio.
 */
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

/** As `rateSteps`, but the treatment is compared with a fixed rate, not with the control. */
export const fixedRateSteps = (
  { events, exposure }: Pick<Counts, 'events' | 'exposure'>,
  rate: number,
  side: BetDirection,
): readonly number[] =>
  exposure === 0
    ? zeros(FACTORS.length)
    : FACTORS.map((factor) => events * Math.log(factor ** side) - exposure * rate * (factor ** side - 1))

/**
 * The sign bets of one window: an increment of log e for each of `STAKES`, from one value of each arm. `margin`: the
 * tolerated increase, as a part of the absolute value of the control. A value at the limit is not worse, such as 0 in
 * both arms, and counts against harm: the bounds hold if at most half of all windows are worse.
 */
export function signSteps(treatment: number, control: number, margin: number, side: BetDirection): readonly number[] {
  const sign = treatment > control + margin * Math.abs(control) ? 1 : -1
  return STAKES.map((stake) => Math.log1p(stake * side * sign))
}
