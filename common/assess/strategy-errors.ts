import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import { PAUSE_WORDS } from '../api/strategy.ts'
import type { FieldError } from '../api/types.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { allowsSmallerSource } from '../policy/policy.ts'
import { sizesOf } from '../situation/run.ts'
import { compileSteps } from '../strategy/compile.ts'
import { pauseSeconds } from '../strategy/pause.ts'
import { type BlueGreenSpec, strategyRunSpec } from '../strategy/run-spec.ts'
import { type Sizes, surgeLimit } from '../strategy/target.ts'
import { podsFor, weightWithin } from '../strategy/weight.ts'
import { count } from '../text/count.ts'
import { sizeErrors } from './size-errors.ts'

/**
 * What is wrong with a strategy for the wanted `fork`: a pause that is no time or too long, more missing pods than
 * there are, and a weight that `maxSurge` does not allow for the source as it is now. A source that grows later limits
 * the weight, which is no mistake. Where the source gets smaller instead, every weight is possible.
 */
export function strategyErrors(facts: SpecFacts, fork?: KubeObject): readonly FieldError[] {
  const spec = strategyRunSpec(facts.experiment.spec)
  if (!spec) return []
  const { steps, maxSurge, blueGreen } = spec
  const notTimes = steps.flatMap(({ pause }, index): readonly FieldError[] =>
    pause?.duration === undefined || pauseSeconds(pause.duration) !== undefined
      ? []
      : [invalid(`spec.strategy.canary.steps[${index}].pause.duration`, `must be ${PAUSE_WORDS}`)],
  )
  const tooMany = blueGreen ? unavailableErrors(blueGreen) : []
  const sizes = sizesOf(facts, spec)
  if (!sizes || sizes.source === 0 || spec.isInsideSource) return [...notTimes, ...tooMany]
  const limit = surgeLimit(sizes)
  const needs = compileSteps(spec, 'Forward').flatMap((step) =>
    step.is === 'setWeight' ? [{ step, pods: podsFor(step.weight, sizes.source) }] : [],
  )
  const most = weightWithin(limit, sizes.source)
  const enough = Math.ceil((100 * Math.max(0, ...needs.map(({ pods }) => pods))) / sizes.source)
  const smaller = most > 0 ? `, or use at most ${most}% and promote from there` : ''
  const remedy = `set maxSurge to ${enough}%${smaller}`
  const inside = () => (isPossibleInside(facts, fork) ? INSIDE : '')
  const tooLarge = needs
    .filter(({ pods }) => pods > limit)
    .map(({ step: { weight, field }, pods }) => {
      const needed = `${weight}% needs ${count(pods, 'pod')} beside ${sizes.source}`
      return invalid(field, `${needed}; maxSurge ${maxSurge} allows ${limit}; ${remedy}${inside()}`)
    })
  return [...notTimes, ...tooMany, ...tooLarge, ...reserveErrors(sizes, limit)]
}

const INSIDE = ', or set scaleDownSource to true: then the source gets smaller as the fork grows'

/** Whether the same canary is admitted with `scaleDownSource`. */
function isPossibleInside({ experiment, ...facts }: SpecFacts, fork: KubeObject | undefined): boolean {
  const strategy = { canary: { ...experiment.spec.strategy?.canary, scaleDownSource: true } }
  const inside = { ...experiment, spec: { ...experiment.spec, strategy } }
  const isAllowed = knownValue(facts.policies)?.policies.every(({ spec }) => allowsSmallerSource(spec))
  return isAllowed === true && sizeErrors({ ...facts, experiment: inside }, fork).length === 0
}

/** A percentage is of all pods of the fork, and a text without a percent sign is easily meant as one. */
function unavailableErrors({ maxUnavailable }: BlueGreenSpec): readonly FieldError[] {
  const field = 'spec.strategy.blueGreen.maxUnavailable'
  if (typeof maxUnavailable === 'number') return []
  if (!maxUnavailable.endsWith('%'))
    return [invalid(field, `"${maxUnavailable}" is a text; write the number ${maxUnavailable}, or ${maxUnavailable}%`)]
  return Number.parseInt(maxUnavailable, 10) > 100
    ? [invalid(field, `${maxUnavailable} are more than all pods of the fork; write 100% or less, or a number`)]
    : []
}

/** A promotion needs pods of the fork in the place of those that the source's own rollout takes down. */
function reserveErrors({ source, reserve }: Sizes, limit: number): readonly FieldError[] {
  if (reserve <= limit) return []
  const needs = `the source's own rollout takes down ${reserve} of ${source} pods at once, so a promotion needs as many of the fork`
  return [invalid('spec.strategy.canary.maxSurge', `${needs}; it allows ${limit}; raise it or maxUnavailable`)]
}

const invalid = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueInvalid' })
