import { isObject, listOr, member } from '../json/json.ts'
import { isBoolean, isText, listOf, oneOf, orAbsent } from '../json/members.ts'
import {
  type CanaryStep,
  type CanaryStrategy,
  PROMOTION_MODES,
  type PromotionSpec,
  type Strategy,
  TRAFFIC_MODES,
  type TrafficSpec,
} from './strategy.ts'

const isAmount = (value: unknown): boolean =>
  typeof value === 'string' || (Number.isSafeInteger(value) && Number(value) >= 0)

const isSeconds = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** null counts as absent, as everywhere in a manifest. */
const held = (of: unknown, key: string): unknown => member(of, key) ?? undefined

/** A step has exactly one member. */
function isStep(value: unknown): boolean {
  const [weight, pause] = [held(value, 'setWeight'), held(value, 'pause')]
  if (weight !== undefined)
    return pause === undefined && Number.isInteger(weight) && Number(weight) >= 0 && Number(weight) <= 100
  return isObject(pause) && orAbsent(isAmount)(held(pause, 'duration'))
}

/** Whether a member of a `spec` is a strategy, as far as this version knows strategies. The CRD checks more. */
export function isStrategy(value: unknown): boolean {
  const canary = held(value, 'canary')
  return (
    isObject(canary) &&
    orAbsent(listOf(isStep))(held(canary, 'steps')) &&
    orAbsent(isAmount)(held(canary, 'maxSurge')) &&
    orAbsent(isAmount)(held(canary, 'maxUnavailable')) &&
    orAbsent(isSeconds)(held(canary, 'scaleDownDelaySeconds')) &&
    orAbsent(isSeconds)(held(canary, 'abortScaleDownDelaySeconds')) &&
    orAbsent(isBoolean)(held(canary, 'progressDeadlineAbort'))
  )
}

const CANARY = [
  'maxSurge',
  'maxUnavailable',
  'scaleDownDelaySeconds',
  'abortScaleDownDelaySeconds',
  'progressDeadlineAbort',
]

/** The members that we use of a value that `isStrategy`. */
export function strategyIn(value: unknown): Strategy {
  const canary = held(value, 'canary')
  const steps = held(canary, 'steps')
  const others: CanaryStrategy = present(canary, CANARY)
  return { canary: { ...(steps === undefined ? {} : { steps: listOr(steps).map(stepIn) }), ...others } }
}

/** The members of `value` that are not null. */
const present = (value: unknown, keys: readonly string[]): Readonly<Record<string, never>> =>
  Object.fromEntries(keys.flatMap((key) => (held(value, key) === undefined ? [] : [[key, held(value, key)]]))) as never

/** Whether a member of a `spec` says which pods get requests. */
export const isTraffic = (value: unknown): boolean =>
  isObject(value) && orAbsent(oneOf(TRAFFIC_MODES))(held(value, 'mode'))

/** The members that we use of a value that `isTraffic`. */
export const trafficIn = (value: unknown): TrafficSpec => present(value, ['mode'])

/** Whether a member of a `spec` says what follows the steps. */
export const isPromotion = (value: unknown): boolean =>
  isObject(value) &&
  orAbsent(oneOf(PROMOTION_MODES))(held(value, 'mode')) &&
  orAbsent(isBoolean)(held(value, 'force')) &&
  orAbsent(isBoolean)(held(value, 'skipSteps')) &&
  orAbsent(isText)(held(value, 'approvedRevision'))

/** The members that we use of a value that `isPromotion`. */
export const promotionSpecIn = (value: unknown): PromotionSpec =>
  present(value, ['mode', 'force', 'skipSteps', 'approvedRevision'])

function stepIn(step: unknown): CanaryStep {
  const weight = held(step, 'setWeight')
  if (weight !== undefined) return { setWeight: Number(weight) }
  const duration = held(held(step, 'pause'), 'duration') as number | string | undefined
  return { pause: duration === undefined ? {} : { duration } }
}
