import { foldCoarse, judgeCoarse } from './coarse.ts'
import { foldCoarseStrata, judgeCoarseStrata } from './coarse-strata.ts'
import { foldContinuous, judgeContinuous } from './continuous.ts'
import { judged, unchecked } from './judgement.ts'
import type { DecisionBounds, MetricEngine, MetricResult } from './metric-engine.ts'
import { splitLists } from './state-lists.ts'

/** The first number of a state: the sort of its data. */
const [CONTINUOUS, COARSE] = [1, 2]

/** How long requests take, from samples or from histograms. Data of another sort than before are of no use. */
export const LATENCY: MetricEngine = {
  version: 2,
  isBounded: true,
  fold: ([sort, ...state], data, rule) => {
    if (data.is === 'coarse') return sort === CONTINUOUS ? undefined : begun(COARSE, foldCoarse(state, data, rule))
    if (data.is !== 'samples' && data.is !== 'fine') return undefined
    return sort === COARSE ? undefined : begun(CONTINUOUS, foldContinuous(state, data, rule))
  },
  judge: ([sort, ...state], _rule, question) => {
    if (sort === COARSE) return judgeCoarse(state, question)
    if (sort === CONTINUOUS) return judgeContinuous(state, question)
    return nothing(question)
  },
}

function nothing(question: DecisionBounds): MetricResult {
  const none = unchecked(0)
  const shown = { harm: none, safe: { body: none, tail: none }, parts: [], samples: { treatment: 0, control: 0 } }
  return judged(shown, question)
}

/** The same, stratum by stratum, from histograms with buckets alone. */
export const STRATIFIED_LATENCY: MetricEngine = {
  version: 3,
  isBounded: true,
  fold: ([, ...state], data, rule) =>
    data.is === 'coarse' ? begun(COARSE, foldCoarseStrata(state, data, rule)) : undefined,
  judge: ([sort, ...state], _rule, question) =>
    sort === COARSE ? judgeCoarseStrata(state, question) : nothing(question),
}

const begun = (sort: number, state: readonly number[] | undefined) => state && [sort, ...state]

/** The boundaries of the windows in a state, in seconds; undefined if they were not coarse, or there was none. */
export function boundariesOf([sort, ...state]: readonly number[]): readonly number[] | undefined {
  const [boundaries] = sort === COARSE ? splitLists(state) : []
  return boundaries
}
