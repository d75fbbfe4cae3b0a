import type { AnalysisState } from '../assess/analysis.ts'
import type { AloneFork } from '../conclusion/alone.ts'
import { aloneDecision } from '../conclusion/alone.ts'
import type { Decision } from '../facts/decision.ts'
import type { Situation } from '../run-state/situation.ts'
import { isRolledBack, rolledBack } from './analysis.ts'

/** Why the fork must have no pods. */
export type PodsForbidden =
  | { readonly because: 'aloneBehindService'; readonly alone: AloneFork }
  | { readonly because: 'rolledBack'; readonly analysis: AnalysisState }

/** Why the fork must have no pods; undefined: it may have some. */
export function podsForbiddenBy(
  situation: Situation,
  { alone, analysis }: { readonly alone: AloneFork | undefined; readonly analysis: AnalysisState | undefined },
): PodsForbidden | undefined {
  if (alone?.isHeld) return { because: 'aloneBehindService', alone }
  return analysis && isRolledBack(situation, analysis) ? { because: 'rolledBack', analysis } : undefined
}

/** What is told of a fork without pods. */
export const decisionWithoutPods = (forbidden: PodsForbidden): Decision =>
  forbidden.because === 'aloneBehindService' ? aloneDecision(forbidden.alone) : rolledBack(forbidden.analysis)
