import type { Decision } from '../facts/decision.ts'
import type { Write } from '../writes/write.ts'
import type { Conclusion, Plan } from './conclusion.ts'

/** What a part of a pass adds to the plan. */
export interface Part {
  readonly writes?: readonly Write[]
  /** replaces the decision of the parts before it */
  readonly decision?: Decision | undefined
  readonly conclusion?: Partial<Pick<Conclusion, 'fork' | 'run' | 'analysis' | 'twin' | 'leaving' | 'repairInMs'>>
}

/** What the run of the strategy adds. A pass either moves it or acts for it, never both. */
export interface RunPart extends Part {
  /** it moves, or only its hashes are stored: what comes next is stored before it is done */
  readonly isStatusOnly?: true
  /** writes that come before those of the fork */
  readonly first?: readonly Write[]
  readonly ifRefused?: Plan['ifRefused']
}

/** `conclusion` with another decision, of which nothing of the former one is left. */
export const withDecision = ({ because: _former, ...conclusion }: Conclusion, decision: Decision): Conclusion => ({
  ...conclusion,
  ...decision,
})

/** `conclusion` with what a further part says. */
export const withPart = (conclusion: Conclusion, part: Part | undefined): Conclusion => ({
  ...(part?.decision ? withDecision(conclusion, part.decision) : conclusion),
  ...part?.conclusion,
})
