import { count } from '../text/count.ts'
import { duration } from '../text/duration.ts'
import { percent } from '../text/percent.ts'
import type { Step } from './compile.ts'
import { type Sizes, targetOf } from './target.ts'

/** What one step costs. */
export interface ForecastStep {
  readonly step: Step
  /** the pods of the fork at this step */
  readonly pods: number
}

/** The pods at each step, for a source that keeps its size. */
export const forecast = (steps: readonly Step[], sizes: Sizes): readonly ForecastStep[] =>
  steps.map((step, index) => ({ step, pods: targetOf(steps, index, sizes).pods }))

/** Where the user asks for pods, and for how many: one entry for each number, the first step that has it. */
export function demands(
  steps: readonly Step[],
  sizes: Sizes,
): readonly { readonly field: string; readonly pods: number }[] {
  const found = new Map<number, string>()
  for (const { step, pods } of forecast(steps, sizes)) if (!found.has(pods)) found.set(pods, fieldOf(step))
  return [...found].map(([pods, field]) => ({ field, pods }))
}

/** A step without a number of its own has that of the steps before it, or else `spec.replicas`. */
function fieldOf(step: Step): string {
  switch (step.is) {
    case 'setWeight':
      return step.field
    case 'surge':
      return 'spec.strategy.canary.maxSurge'
    default:
      return 'spec.replicas'
  }
}

/** The steps in words: `10% 1 of 11 (9%)`, `pause 1h`, `pause until resumed`. */
export const forecastTexts = (steps: readonly Step[], sizes: Sizes): readonly string[] =>
  forecast(steps, sizes).map((each) => textOf(each, sizes))

function textOf({ step, pods }: ForecastStep, sizes: Sizes): string {
  switch (step.is) {
    case 'setWeight':
      return `${step.weight}% ${shareText(pods, sizes.source, step.weight)}`
    case 'surge':
      return count(pods, 'pod')
    case 'pause':
      return step.seconds === undefined ? 'pause until resumed' : `pause ${duration(step.seconds)}`
    case 'await':
      return 'wait until promoted'
    case 'promote':
      return 'promote'
    case 'drain':
      return `delete the fork after ${duration(step.seconds)}`
    case 'replicas':
      return count(pods, 'pod')
    case 'restore':
      return 'restore the source'
    case 'remove':
      return 'no pods'
  }
}

/** `3 of 13 (23%)`; without the share if it is the weight. */
function shareText(pods: number, source: number, weight: number): string {
  const share = percent(pods, pods + source) ?? '0%'
  return `${pods} of ${pods + source}${share === `${weight}%` ? '' : ` (${share})`}`
}
