import { isObject, listOr, member } from '../json/json.ts'
import {
  type Check,
  countUpTo,
  isBoolean,
  isCount,
  isText,
  listOf,
  type Members,
  oneOf,
  orAbsent,
} from '../json/members.ts'
import { MAX_REPLICAS } from './defaults.ts'
import { isDnsLabel } from './metadata-syntax.ts'
import {
  type BlueGreenStrategy,
  type CanaryStep,
  type CanaryStrategy,
  PROMOTION_MODES,
  type PromotionSpec,
  type Strategy,
  TRAFFIC_MODES,
  type TrafficSpec,
} from './strategy.ts'

const isAmount = (value: unknown): boolean => typeof value === 'string' || isCount(value)
/** As in a path: never empty, `.` or `..`. */
const isServiceName = (value: unknown): boolean => typeof value === 'string' && isDnsLabel(value)

/** null counts as absent, as everywhere in a manifest. */
const held = (of: unknown, key: string): unknown => member(of, key) ?? undefined

/** A step has exactly one member. */
function isStep(value: unknown): boolean {
  const [weight, pause, analysis] = [held(value, 'setWeight'), held(value, 'pause'), held(value, 'analysis')]
  if (analysis !== undefined) return weight === undefined && pause === undefined && isObject(analysis)
  if (weight !== undefined)
    return pause === undefined && Number.isInteger(weight) && Number(weight) >= 0 && Number(weight) <= 100
  return isObject(pause) && orAbsent(isAmount)(held(pause, 'duration'))
}

const DELAYS = {
  scaleDownDelaySeconds: orAbsent(isCount),
  abortScaleDownDelaySeconds: orAbsent(isCount),
  progressDeadlineAbort: orAbsent(isBoolean),
}

/** What the members of a canary must be, but for its steps. */
const CANARY = { maxSurge: orAbsent(isAmount), maxUnavailable: orAbsent(isAmount), ...DELAYS }

const BLUE_GREEN = {
  activeService: isServiceName,
  previewService: orAbsent(isServiceName),
  previewReplicaCount: orAbsent(countUpTo(MAX_REPLICAS)),
  autoPromotionEnabled: orAbsent(isBoolean),
  autoPromotionSeconds: orAbsent(isCount),
  maxUnavailable: orAbsent(isAmount),
  ...DELAYS,
} satisfies Members<BlueGreenStrategy>

const isSound = (value: unknown, members: Readonly<Record<string, Check>>): boolean =>
  isObject(value) && Object.entries(members).every(([key, holds]) => holds(held(value, key)))

/** Whether a member of a `spec` is a strategy, as far as this version knows strategies. The CRD checks more. */
export function isStrategy(value: unknown): boolean {
  const [canary, blueGreen] = [held(value, 'canary'), held(value, 'blueGreen')]
  if (blueGreen !== undefined) return canary === undefined && isSound(blueGreen, BLUE_GREEN)
  return isSound(canary, CANARY) && orAbsent(listOf(isStep))(held(canary, 'steps'))
}

/** The members that we use of a value that `isStrategy`. */
export function strategyIn(value: unknown): Strategy {
  const [canary, blueGreen] = [held(value, 'canary'), held(value, 'blueGreen')]
  if (blueGreen !== undefined) return { blueGreen: present<BlueGreenStrategy>(blueGreen, Object.keys(BLUE_GREEN)) }
  const steps = held(canary, 'steps')
  const others = present<CanaryStrategy>(canary, Object.keys(CANARY))
  return { canary: { ...(steps === undefined ? {} : { steps: listOr(steps).map(stepIn) }), ...others } }
}

/** The members of `value` that are not null. */
const present = <T extends object>(value: unknown, keys: readonly string[]): T =>
  Object.fromEntries(keys.flatMap((key) => (held(value, key) === undefined ? [] : [[key, held(value, key)]]))) as T

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
  if (held(step, 'analysis') !== undefined) return { analysis: {} }
  const duration = held(held(step, 'pause'), 'duration') as number | string | undefined
  return { pause: duration === undefined ? {} : { duration } }
}
