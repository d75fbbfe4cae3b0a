/** Values that another implementation has computed: `vectors.json`, whose member `about` says what they are. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type BetDirection, type Counts, type Ranks, rankBets } from '../../../../common/analysis/engine/steps.ts'

/** Events and exposure of the treatment, then those of the control. */
export type Row = readonly [number, number, number, number]

interface Bet<T> {
  readonly margin: number
  readonly direction: BetDirection
  readonly rows: readonly T[]
  readonly logE: readonly number[]
}
interface Samples {
  readonly treat: readonly number[]
  readonly ctrl: readonly number[]
}
interface LatencyOut {
  readonly harm: number
  readonly body: number
  readonly tail: number
  readonly calm: boolean
}
interface LatencyRule {
  readonly tolerance: number
  readonly maxRegression: number
  readonly out: readonly LatencyOut[]
}

interface Vectors {
  readonly mw_cumulant: readonly { readonly a: number; readonly b: number; readonly lam: number; readonly K: number }[]
  readonly mw_cumulant_large: Vectors['mw_cumulant']
  readonly u: readonly (Samples & { readonly U: number })[]
  readonly u_hist: readonly { readonly kt: readonly number[]; readonly kc: readonly number[]; readonly U: number }[]
  readonly block_mw: readonly (Omit<Bet<never>, 'rows'> & { readonly blocks: readonly Samples[] })[]
  readonly rate_ratio: readonly Bet<Row>[]
  readonly fisher: readonly Bet<Row>[]
  readonly fixed_rate: readonly (Omit<Bet<readonly [number, number]>, 'margin'> & { readonly acceptable: number })[]
  readonly sign: readonly {
    readonly margin: number
    readonly windows: readonly (readonly [number, number])[]
    readonly logE: readonly number[]
  }[]
  readonly odds_large: readonly {
    readonly et: number
    readonly nt: number
    readonly ec: number
    readonly nc: number
    readonly w0: number
    readonly direction: BetDirection
    readonly logE: readonly number[]
  }[]
  readonly latency_buckets: readonly (LatencyRule & {
    readonly le: readonly number[]
    readonly live: readonly number[]
    readonly windows: readonly {
      readonly et: readonly number[]
      readonly nt: number
      readonly ec: readonly number[]
      readonly nc: number
    }[]
  })[]
  readonly latency_samples: readonly (LatencyRule & {
    readonly thresholds: readonly number[]
    readonly windows: readonly { readonly treatment: readonly number[]; readonly control: readonly number[] }[]
  })[]
  readonly error_rate: readonly {
    readonly acceptable: number
    readonly tolerance: number
    readonly maxRegression: number
    readonly rows: readonly Row[]
    readonly out: readonly { readonly safety: number }[]
  }[]
  readonly power: readonly {
    readonly requestsPerSecond: number
    readonly share: number
    readonly intervalSeconds: number
    readonly seconds: number
    readonly tolerance: number
    readonly spread: number
    readonly alpha: number
    readonly metrics: number
    readonly detectable: number
  }[]
  readonly gd: readonly (Samples & GatedDeployments)[]
  readonly gd_more: readonly (Samples & GatedDeployments & { readonly what: string; readonly minSamples: number })[]
}

interface GatedDeployments {
  readonly controlU?: number
  readonly treatmentU?: number
  readonly z?: number | null
  readonly verdict: string
}

export const VECTORS: Vectors = JSON.parse(readFileSync(join(import.meta.dirname, 'vectors.json'), 'utf8'))

/** Of the larger of 1 and the expected value. From the file. */
const PRECISION = 1e-9

/** @throws AssertionError unless each of `found` is within 10⁻⁹ of its place in `expected` */
export function areNear(found: readonly number[], expected: readonly number[], precision = PRECISION): void {
  expect(found).to.have.length(expected.length)
  for (const [index, value] of expected.entries())
    expect(found[index]).to.be.closeTo(value, precision * Math.max(1, Math.abs(value)), `at ${index}`)
}

export const countsOf = ([events, exposure, controlEvents, controlExposure]: Row): Counts => ({
  events,
  exposure,
  controlEvents,
  controlExposure,
})

/** The increments of log e of one window of ranks. */
export const rankSteps = (ranks: Ranks, side: BetDirection): readonly number[] => rankBets(ranks)(ranks.u, side)
