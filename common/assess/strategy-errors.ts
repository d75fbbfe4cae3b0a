import type { FieldError } from '../api/types.ts'
import { compile } from '../strategy/compile.ts'
import { pauseSeconds } from '../strategy/pause.ts'
import { runSpecOf } from '../strategy/run-spec.ts'
import { type Sizes, surgeLimit } from '../strategy/target.ts'
import { podsFor, weightWithin } from '../strategy/weight.ts'
import { count } from '../text/count.ts'
import type { SpecFacts } from './facts.ts'
import { sizesOf } from './run.ts'

/**
 * What is wrong with a strategy: a pause that is too long, and a weight that `maxSurge` does not allow for the source
 * as it is now. A source that grows later limits the weight, which is no mistake.
 */
export function strategyErrors(facts: SpecFacts): readonly FieldError[] {
  const spec = runSpecOf(facts.experiment.spec)
  if (!spec) return []
  const { steps, maxSurge } = spec
  const tooLong = steps.flatMap(({ pause }, index): readonly FieldError[] =>
    pause?.duration === undefined || pauseSeconds(pause.duration) !== undefined
      ? []
      : [invalid(`spec.strategy.canary.steps[${index}].pause.duration`, 'must be at most a year; make it shorter')],
  )
  const sizes = sizesOf(facts, spec)
  if (!sizes || sizes.source === 0) return tooLong
  const limit = surgeLimit(sizes)
  const most = weightWithin(limit, sizes.source)
  const remedy = most > 0 ? `at most ${most}%; raise it, or use a smaller weight` : 'no weight; raise it'
  const tooLarge = compile(spec, 'Forward').flatMap((step): readonly FieldError[] => {
    if (step.is !== 'setWeight') return []
    const needed = podsFor(step.weight, sizes.source)
    if (needed <= limit) return []
    const needs = `${step.weight}% needs ${count(needed, 'pod')} beside ${sizes.source}`
    return [invalid(step.field, `${needs}; maxSurge ${maxSurge} allows ${limit}, ${remedy}`)]
  })
  return [...tooLong, ...tooLarge, ...reserveErrors(sizes, limit)]
}

/** A promotion needs pods of the fork in the place of those that the source's own rollout takes down. */
function reserveErrors({ source, reserve }: Sizes, limit: number): readonly FieldError[] {
  if (reserve <= limit) return []
  const needs = `the source's own rollout takes down ${reserve} of ${source} pods at once, so a promotion needs as many of the fork`
  return [invalid('spec.strategy.canary.maxSurge', `${needs}; it allows ${limit}; raise it or maxUnavailable`)]
}

const invalid = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueInvalid' })
