import { ranksOf } from './ranks.ts'

/** The rule of Gated Deployments, which looks once at all samples. It bounds no error. */
interface MannWhitneyRule {
  /** in each arm before the look */
  readonly minSamples: number
  readonly zScoreThreshold: number
  /** how many times as often the treatment's value must be the larger one */
  readonly harmThreshold: number
}

/** What the look says. `z`: null where all values are equal. */
interface MannWhitneyLook {
  readonly verdict: 'notSignificant' | 'noHarm' | 'harm'
  readonly treatmentU: number
  readonly controlU: number
  readonly z: number | null
}

/** The look at all samples of both arms, in seconds. */
export function mannWhitney(
  treatment: readonly number[],
  control: readonly number[],
  { minSamples, zScoreThreshold, harmThreshold }: MannWhitneyRule,
): MannWhitneyLook {
  const { u: treatmentU, a, b } = ranksOf(treatment, control)
  const controlU = a * b - treatmentU
  const z = scoreOf(Math.min(treatmentU, controlU), [...treatment, ...control], a * b)
  const looked = { treatmentU, controlU, z }
  if (!isEnough(treatment, control, minSamples)) return { ...looked, verdict: 'notSignificant' }
  const isHarm = z !== null && z >= zScoreThreshold && treatmentU / controlU >= harmThreshold
  return { ...looked, verdict: isHarm ? 'harm' : 'noHarm' }
}

/** Whether both arms have the samples that the look asks for. */
export const isEnough = (treatment: readonly number[], control: readonly number[], minSamples: number): boolean =>
  Math.min(treatment.length, control.length) >= Math.max(1, minSamples)

/** How many standard deviations `u` is from the mean, with the usual correction for ties; null without any spread. */
function scoreOf(u: number, values: readonly number[], pairs: number): number | null {
  const count = values.length
  const ties = Map.groupBy(values, (value) => value)
    .values()
    .reduce((sum, { length }) => sum + length ** 3 - length, 0)
  const variance = (pairs / 12) * (count + 1 - ties / (count * (count - 1)))
  return variance > 0 ? Math.abs(u - pairs / 2) / Math.sqrt(variance) : null
}
