import { showValue } from '../json/field-path.ts'
import { checkClaimSpec } from './claims.ts'
import { checkOneOf } from './containers.ts'
import {
  type Field,
  fieldAt,
  fieldIn,
  isSet,
  itemsOf,
  numberOf,
  refuse,
  refuseIf,
  remedyAt,
  requireValue,
  textAt,
} from './field.ts'
import { checkNotNegative } from './handlers.ts'
import { dnsLabelProblem } from './syntax.ts'

const DEFAULT_DEADLINE = 600

/** How a Deployment replaces its pods. */
export function checkDeployment(spec: Field): void {
  checkTimes(spec)
  const strategy = fieldAt(spec, 'strategy')
  const rolling = checkRolling(strategy, 'Recreate')
  if (rolling) checkSurge(rolling)
}

/**
 * How a Rollout replaces its pods. Its controller checks what the API server checks of a Deployment, and has no default
 * for the strategy: without one it answers `InvalidSpec`.
 */
export function checkRollout(spec: Field): void {
  checkTimes(spec)
  const canary = fieldIn(spec, 'strategy', 'canary')
  if (!isSet(canary)) {
    requireValue(canary, 'must be set, because a Rollout without a strategy gets no pods; set it to {}')
    return
  }
  checkSurge(canary)
  const [scale, delay] = [fieldAt(canary, 'dynamicStableScale'), fieldAt(canary, 'scaleDownDelaySeconds')]
  const routed = itemsOf(fieldAt(canary, 'steps')).flatMap((step) => ROUTED_STEPS.map((key) => fieldAt(step, key)))
  for (const field of [...(scale.value === true ? [scale] : []), delay, ...routed])
    if (isSet(field))
      refuse(field, 'needs traffic routing, which a fork cannot have; remove this', { cause: 'FieldValueForbidden' })
}

const ROUTED_STEPS = ['setCanaryScale', 'setHeaderRoute', 'setMirrorRoute']

/** What a StatefulSet has beside its pod template. */
export function checkStatefulSet(spec: Field): void {
  checkNotNegative(fieldAt(spec, 'minReadySeconds'))
  checkNotNegative(fieldIn(spec, 'ordinals', 'start'))
  const rolling = checkRolling(fieldAt(spec, 'updateStrategy'), 'OnDelete')
  if (rolling) checkNotNegative(fieldAt(rolling, 'partition')) // most clusters drop maxUnavailable unread
  for (const key of ['whenDeleted', 'whenScaled'])
    checkOneOf(fieldIn(spec, 'persistentVolumeClaimRetentionPolicy', key), ['Retain', 'Delete'])
  const service = fieldAt(spec, 'serviceName')
  if (textAt(service) !== '') refuseIf(service, dnsLabelProblem(textAt(service)))
  const names = new Set<string>()
  for (const claim of itemsOf(fieldAt(spec, 'volumeClaimTemplates'))) {
    const name = fieldIn(claim, 'metadata', 'name')
    if (textAt(name) === '') requireValue(name, 'must be a name; set it')
    else refuseIf(name, dnsLabelProblem(textAt(name)))
    if (textAt(name) !== '' && names.has(textAt(name)))
      refuse(name, 'must be unique: the pods have only one claim of this name; rename or remove one', {
        cause: 'FieldValueDuplicate',
        isStored: true,
      })
    names.add(textAt(name))
    checkClaimSpec(fieldAt(claim, 'spec'))
  }
}

function checkTimes(spec: Field): void {
  const [ready, deadline] = [fieldAt(spec, 'minReadySeconds'), fieldAt(spec, 'progressDeadlineSeconds')]
  for (const field of [ready, deadline, fieldAt(spec, 'revisionHistoryLimit')]) checkNotNegative(field)
  const [seconds, limit] = [numberOf(ready) ?? 0, numberOf(deadline) ?? DEFAULT_DEADLINE]
  if (limit <= seconds)
    refuse(deadline, `must be more than minReadySeconds (${seconds}); raise it`, {
      others: [remedyAt(ready, `must be less than progressDeadlineSeconds (${limit}); lower it, or raise that`)],
    })
}

/** Client-side `kubectl apply` drops the null of a new object. */
const CLEARED = 'use overrideType: Strategic, which removes it, or set rollingUpdate to null'

/** Returns `rollingUpdate` if it counts. With type `other` it must not be set. */
function checkRolling(strategy: Field, other: string): Field | undefined {
  const [type, rolling] = [fieldAt(strategy, 'type'), fieldAt(strategy, 'rollingUpdate')]
  if (type.value !== other) return rolling
  if (isSet(rolling))
    refuse(rolling, `cannot be set with type: ${other}; ${CLEARED}`, {
      cause: 'FieldValueForbidden',
      others: [remedyAt(type, `cannot be ${other} while rollingUpdate is set; ${CLEARED}`)],
    })
  return undefined
}

function checkSurge(rolling: Field): void {
  const [surge, unavailable] = [fieldAt(rolling, 'maxSurge'), fieldAt(rolling, 'maxUnavailable')]
  for (const amount of [surge, unavailable]) checkAmount(amount)
  const percent = percentOf(unavailable)
  if (percent !== undefined && percent > 100) refuse(unavailable, 'must be at most 100%; lower it')
  if (isZero(surge) && isZero(unavailable))
    refuse(unavailable, 'cannot be 0 while maxSurge is 0; raise one of them', {
      others: [remedyAt(surge, 'cannot be 0 while maxUnavailable is 0; raise one of them')],
    })
}

/** A number of pods, or a percentage. */
function checkAmount(amount: Field): void {
  checkNotNegative(amount)
  if (typeof amount.value === 'string' && percentOf(amount) === undefined)
    refuse(amount, `must be a whole number or a percentage such as "25%"; got ${showValue(amount.value)}`)
}

const percentOf = ({ value }: Field): number | undefined =>
  typeof value === 'string' && /^\d+%$/.test(value) ? Number(value.slice(0, -1)) : undefined

const isZero = (amount: Field): boolean => amount.value === 0 || percentOf(amount) === 0
