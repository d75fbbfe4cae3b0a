import { MAX_SAMPLES } from '../../api/analysis/structures.ts'
import { isEnough, mannWhitney } from '../engine/mann-whitney.ts'
import type { Samples } from '../window-data.ts'
import type { MetricEngine } from './metric-engine.ts'
import { joinLists, splitLists } from './state-lists.ts'

/** `count` items of `list`, evenly spread; all of it if it has no more. */
const spread = (list: readonly number[], count: number): readonly number[] =>
  list.length <= count
    ? list
    : Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)] ?? 0)

/** The samples of an arm that are kept, of all that it had. */
interface Kept {
  readonly samples: readonly number[]
  readonly seen: number
}

/**
 * `kept` with the samples of one more window. If there is no room for all, each window and each of its pods keeps a
 * part in proportion: the first pods alone could be slower or faster than the others.
 */
function withSamples({ samples, seen }: Kept, window: readonly Samples[]): Kept {
  const more = window.flatMap(({ values }) => values)
  const all = seen + more.length
  const ours = all <= MAX_SAMPLES ? more.length : Math.round((MAX_SAMPLES * more.length) / all)
  return { samples: [...spread(samples, MAX_SAMPLES - ours), ...spread(more, ours)], seen: all }
}

/**
 * The rule of Gated Deployments: one look as soon as both arms have enough samples. It bounds no error. After the look
 * its evidence stays as it is, so that a verdict does not change while other metrics wait for theirs.
 */
export const MANN_WHITNEY: MetricEngine = {
  version: 1,
  isBounded: false,
  fold: (numbers, data, { minSamples = 50 }) => {
    if (data.is !== 'samples') return undefined
    const [treatment = [], control = [], seen = []] = splitLists(numbers)
    if (isEnough(treatment, control, minSamples)) return numbers
    const own = withSamples({ samples: treatment, seen: seen[0] ?? treatment.length }, data.treatment)
    const others = withSamples({ samples: control, seen: seen[1] ?? control.length }, data.control)
    return joinLists(own.samples, others.samples, [own.seen, others.seen])
  },
  judge: (numbers, { minSamples = 50, zScoreThreshold = 1.96, harmThreshold = 1.5 }) => {
    const [treatment = [], control = []] = splitLists(numbers)
    const { verdict } = mannWhitney(treatment, control, { minSamples, zScoreThreshold, harmThreshold })
    const ours = { notSignificant: 'Wait', noHarm: 'Pass', harm: 'Fail' } as const
    const samples = { treatment: treatment.length, control: control.length }
    const enough = {
      had: Math.min(samples.treatment, samples.control),
      needs: minSamples,
      of: ' requests of each version',
    }
    return { verdict: ours[verdict], doPodsDiffer: false, samples, safe: [], enough }
  },
}

const DECISIONS = ['Wait', 'Pass', 'Fail'] as const

/** What a plugin decides. Its errors are its own. */
export const DECISION: MetricEngine = {
  version: 1,
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
