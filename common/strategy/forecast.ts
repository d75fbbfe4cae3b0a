import { count } from '../text/count.ts'
import { duration } from '../text/duration.ts'
import type { RunStep } from './compile.ts'
import { NODES_MS } from './gate.ts'
import { type Reach, reach, shareOf } from './reach.ts'
import { podTargetAt, type Sizes } from './target.ts'

/** A step, and its pods. */
interface ForecastStep {
  readonly step: RunStep
  /** the pods of the fork at this step */
  readonly pods: number
  /** those of them that get requests */
  readonly open: number
  readonly reach: Reach
}

/** The pods at each step, for a source that keeps its size. */
export const forecast = (steps: readonly RunStep[], sizes: Sizes): readonly ForecastStep[] =>
  steps.map((step, index) => {
    const target = podTargetAt(steps, index, sizes)
    const { pods, open } = target
    return { step, pods, open, reach: reach(target, { ...sizes, fork: pods }) }
  })

/** A field of an experiment, and how many pods it asks for. */
export interface PodDemand {
  readonly field: string
  readonly pods: number
  /** those of them that get requests */
  readonly open: number
  /** the Service that then sends only to these pods */
  readonly onlyOf?: string
  /** whether the promotion needs these, which are more than the steps ask for; absent: no */
  readonly isForPromotion?: boolean
  /** the pods of the source beside these; absent: it keeps its size */
  readonly source?: number
}

/**
 * Where the user asks for pods, and for how many: one entry for each number, the first step that has it. The field of
 * the shut pods of a gated fork is `spec.replicas`, or the size of a blue-green.
 */
export function demands(steps: readonly RunStep[], sizes: Sizes): readonly PodDemand[] {
  const found = new Map<string, PodDemand>()
  const asked = forecast(steps, { ...sizes, reserve: 0 })
  for (const [index, { step, pods, open, reach }] of forecast(steps, sizes).entries()) {
    const shutBy = step.is === 'size' ? step.field : 'spec.replicas'
    const ofShut = pods > open ? [{ field: shutBy, pods, open: 0 }] : []
    const only = step.is === 'cutOver' ? { onlyOf: step.service } : {}
    const isAsked = sizes.inside ? step.is !== 'promote' : open === asked[index]?.open
    const beside = sizes.inside ? { source: reach.source } : {}
    const of = isAsked
      ? { field: fieldOf(step) }
      : { field: promotionField(steps, sizes), isForPromotion: true as const }
    for (const demand of [...ofShut, { pods: open, open, ...of, ...only, ...beside }]) {
      const key = `${demand.pods} ${demand.open}`
      if (!found.has(key)) found.set(key, demand)
    }
  }
  return [...found.values()]
}

/** The field by which a canary has fewer pods for its promotion. A promotion alone has no such field. */
function promotionField(steps: readonly RunStep[], { inside }: Sizes): string {
  if (inside) return 'spec.strategy.canary.scaleDownSource'
  return steps.some(({ is }) => is === 'replicas') ? 'spec.promotion' : 'spec.strategy.canary.maxUnavailable'
}

/** A step without a number of its own has that of the steps before it, or else `spec.replicas`. */
function fieldOf(step: RunStep): string {
  switch (step.is) {
    case 'setWeight':
    case 'size':
      return step.field
    case 'cutOver':
      return 'spec.strategy.blueGreen'
    case 'surge':
      return 'spec.strategy.canary.maxSurge'
    default:
      return 'spec.replicas'
  }
}

/** A step in words. */
export interface StepText {
  /** its place among all steps */
  readonly index: number
  readonly text: string
  /** the pods of the fork at this step */
  readonly pods: number
  /** whether an earlier text says the same */
  readonly isSaid: boolean
}

/** Each step from `start` on in words: `10% 1 of 11 pods (9%)`, `pause 1h`, `20% 3 of 13 (23%)`. */
export function stepTexts(steps: readonly RunStep[], sizes: Sizes, start = 0): readonly StepText[] {
  const left = forecast(steps, sizes).slice(start)
  const first = left.find(({ step, open }) => step.is === 'setWeight' && open > 0)
  return left.map((each, index) => {
    const { step, pods } = each
    const before = left.slice(0, index).findLast(({ step }) => step.is === 'size')
    const unit = sizes.inside ? 'both' : each === first ? ' pods' : ''
    // an earlier text says that they are without requests
    const isAnotherSize = step.is === 'size' && before !== undefined
    const text = isAnotherSize ? count(pods, 'pod') : textOf(each, unit)
    return { index: start + index, text, pods, isSaid: isAnotherSize && pods === before.pods }
  })
}

/** The texts of `stepTexts`, without those that only repeat an earlier one. */
export const forecastTexts = (steps: readonly RunStep[], sizes: Sizes, start = 0): readonly string[] =>
  stepTexts(steps, sizes, start).flatMap(({ text, isSaid }) => (isSaid ? [] : text))

const servicesText = ([service, ...others]: readonly string[]): string =>
  others.length === 0 ? `service/${service} sends` : 'both Services send'

/** What is counted: after the number of pods of the fork and of all; or each side has its own number. */
type Unit = ' pods' | '' | 'both'

function textOf({ step, pods, reach }: ForecastStep, unit: Unit): string {
  switch (step.is) {
    case 'setWeight':
      return `${step.weight}%${shareText(reach, { weight: step.weight, unit })}`
    case 'surge':
    case 'replicas':
      return shareText(reach, { unit: unit === 'both' ? unit : ' pods' }).trimStart()
    case 'size':
      return `${count(pods, 'pod')} without requests`
    case 'preview':
      return `service/${step.service} sends to them`
    case 'cutOver':
      return `service/${step.service} sends only to them (for about ${duration(NODES_MS / 1_000)} both versions answer)`
    case 'return':
      return `${servicesText(step.services)} to the source again`
    case 'pause':
      return step.seconds === undefined ? 'pause until resumed' : `pause ${duration(step.seconds)}`
    case 'analysis':
      return 'wait until the analysis passes'
    case 'await':
      return 'wait until promoted'
    case 'promote':
      return 'promote'
    case 'refill':
      return 'the source gets all of its pods back'
    case 'drain':
      return step.seconds === 0 ? 'delete the fork' : `delete the fork after ${duration(step.seconds)}`
    case 'restore':
      return 'restore the source'
    case 'shut':
      return 'no requests'
    case 'remove':
      return 'no pods'
  }
}

/**
 * ` 3 of 13 (23%)`, or ` 1 of the fork, 4 of the source`; without the share if it is the weight. A weight of a source
 * without pods is no number of pods.
 */
function shareText(reach: Reach, { weight, unit }: { weight?: number; unit: Unit }): string {
  const { fork, source } = reach
  if (weight === 0) return ' no pods'
  if (weight !== undefined && source === 0) return ''
  const share = shareOf(reach) ?? '0%'
  const pods = unit === 'both' ? `${fork} of the fork, ${source} of the source` : `${fork} of ${fork + source}${unit}`
  return ` ${pods}${share === `${weight}%` ? '' : ` (${share})`}`
}
