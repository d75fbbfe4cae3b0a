import { type AnalysisState, consequenceOf, verdictText } from '../assess/analysis.ts'
import { type Decision, stalled } from '../facts/decision.ts'
import { type AloneFork, aloneDecision } from '../outcome/alone.ts'
import type { Situation } from '../situation/situation.ts'

/** Why the fork must have no pods. */
export type PodsForbidden =
  | { readonly because: 'aloneBehindService'; readonly alone: AloneFork }
  | { readonly because: 'rolledBack'; readonly analysis: AnalysisState }

interface Found {
  readonly alone: AloneFork | undefined
  readonly analysis: AnalysisState | undefined
}

/**
 * Why the fork must have no pods; undefined: it may have some. A recorded verdict takes the pods of a fork that has no
 * strategy. One with a strategy is aborted.
 */
export function podsForbiddenBy({ strategy }: Situation, { alone, analysis }: Found): PodsForbidden | undefined {
  if (alone?.forbidsPods) return { because: 'aloneBehindService', alone }
  const isRolledBack = analysis && !strategy && consequenceOf(analysis) === 'RollBack'
  return isRolledBack ? { because: 'rolledBack', analysis } : undefined
}

/** What is told of a fork without pods. After a verdict, that lasts until the analysis asks another question. */
export const decisionWithoutPods = (forbidden: PodsForbidden): Decision =>
  forbidden.because === 'aloneBehindService'
    ? aloneDecision(forbidden.alone)
    : stalled('RolledBack', `the fork has no pods: its analysis ended with ${verdictText(forbidden.analysis)}`)
