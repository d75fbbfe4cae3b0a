import type { Conclusion, Plan } from '../outcome/conclusion.ts'
import { type Part, type RunPart, withPart } from '../outcome/part.ts'

/** The parts of a plan. Each was made with the parts before it. */
interface Parts {
  /** the fork and its gate, without anything else */
  readonly fork: Plan
  readonly run: RunPart | undefined
  readonly analysis: Part & Pick<Plan, 'arms'>
  readonly twin: Part
}

/** What is concluded of the fork and its run, before the analysis and the twin. */
export const concludedOf = ({ fork, run }: Pick<Parts, 'fork' | 'run'>): Conclusion => withPart(fork.conclusion, run)

/**
 * The whole plan. Two rules are stated here. A pass moves the run or acts for it, never both: nothing is written for
 * the fork while the run moves, so that what comes next is stored before it is done. And the fork and its gate come
 * first, then the Services and the source, then the analysis, then the twin; only Services that are returned come
 * before the fork.
 */
export function compose({ fork, run, analysis, twin }: Parts): Plan {
  const { reservation, writes, ...others } = fork
  const isStatusOnly = run?.isStatusOnly === true
  const first = isStatusOnly ? [] : [...(run?.first ?? []), ...writes, ...(run?.writes ?? [])]
  return {
    ...others,
    ...(reservation && !isStatusOnly ? { reservation } : {}),
    ...(run?.ifRefused ? { ifRefused: run.ifRefused } : {}),
    ...(analysis.arms ? { arms: analysis.arms } : {}),
    writes: [...first, ...(analysis.writes ?? []), ...(twin.writes ?? [])],
    conclusion: withPart(withPart(concludedOf({ fork, run }), analysis), twin),
  }
}
