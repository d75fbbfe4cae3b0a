import { sizesOf } from '../situation/run.ts'
import type { SpecSituation } from '../situation/situation.ts'
import { nameOfStep, type RunStep } from '../strategy/compile.ts'
import { stepTexts } from '../strategy/forecast.ts'
import type { ViewStep } from './experiment-view.ts'
import { text } from './text.ts'

/**
 * The steps of the run on its present path, in the words of the plan. While the size of the source is not known, by
 * their names. None without a strategy.
 */
export function viewSteps(situation: SpecSituation): readonly ViewStep[] {
  const { facts, run: state, storedRun } = situation
  if (!state) return []
  const { run, steps, spec } = state
  const sizes = sizesOf(facts, spec)
  const texts = sizes ? stepTexts(steps, sizes) : steps.map(named)
  return texts.map(({ index, text: words, pods }) => ({
    index,
    text: text(words),
    ...(pods === undefined ? {} : { pods }),
    is: index < run.stepIndex ? 'done' : index === run.stepIndex && storedRun ? 'current' : 'ahead',
  }))
}

const named = (step: RunStep, index: number): { index: number; text: string; pods?: number } => ({
  index,
  text: nameOfStep(step),
})
