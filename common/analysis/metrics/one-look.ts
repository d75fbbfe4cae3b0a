import { MAX_SAMPLES } from '../../api/analysis/structures.ts'
import { isEnough, mannWhitney } from '../engine/mann-whitney.ts'
import type { MetricEngine } from './metric-engine.ts'
import { joinLists, splitLists } from './state-lists.ts'

/**
 * The rule of Gated Deployments: one look as soon as both arms have enough samples. It bounds no error. After the look
 * its evidence stays as it is, so that a verdict does not change while other metrics wait for theirs.
 */
export const MANN_WHITNEY: MetricEngine = {
  isBounded: false,
  fold: (numbers, data, { minSamples = 50 }) => {
    if (data.is !== 'samples') return undefined
    const [treatment = [], control = []] = splitLists(numbers)
    if (isEnough(treatment, control, minSamples)) return numbers
    const kept = (former: readonly number[], more: typeof data.treatment) =>
      [...former, ...more.flatMap(({ values }) => values)].slice(0, MAX_SAMPLES)
    return joinLists(kept(treatment, data.treatment), kept(control, data.control))
  },
  judge: (numbers, { minSamples = 50, zScoreThreshold = 1.96, harmThreshold = 1.5 }) => {
    const [treatment = [], control = []] = splitLists(numbers)
    const { verdict } = mannWhitney(treatment, control, { minSamples, zScoreThreshold, harmThreshold })
    const ours = { notSignificant: 'Wait', noHarm: 'Pass', harm: 'Fail' } as const
    const samples = { treatment: treatment.length, control: control.length }
    return { verdict: ours[verdict], doPodsDiffer: false, samples, safe: [] }
  },
}

const DECISIONS = ['Wait', 'Pass', 'Fail'] as const

/** What a plugin decides. Its errors are its own. */
export const DECISION: MetricEngine = {
  isBounded: false,
  fold: (numbers, data) => {
    if (data.is !== 'decision') return undefined
    const [[, looks = 0] = []] = splitLists(numbers)
    return joinLists([DECISIONS.indexOf(data.decision), looks + 1])
  },
  judge: (numbers) => {
    const [[decision = 0, looks = 0] = []] = splitLists(numbers)
    return {
      verdict: DECISIONS[decision] ?? 'Wait',
      doPodsDiffer: false,
      samples: { treatment: looks, control: 0 },
      safe: [],
    }
  },
}
