import {
  amount,
  anyObject,
  anyText,
  arrayOf,
  choice,
  countOrText,
  expecting,
  flag,
  integer,
  narrowed,
  object,
  optional,
  syntax,
  text,
  whole,
  word,
} from '../json/structure.ts'
import { AMOUNT_PATTERN } from './amount.ts'
import { NAME_PATTERN, OBJECT_NAME_PATTERN } from './analysis/patterns.ts'
import { ANALYSIS } from './analysis/structures.ts'
import { DEFAULTS, MAX_REPLICAS, OVERRIDE_TYPES, SOURCE_CHANGES, SOURCE_KINDS } from './defaults.ts'
import { MAX_TTL_SECONDS } from './expiry.ts'
import {
  type BlueGreenStrategy,
  type CanaryStep,
  type CanaryStrategy,
  MAX_PAUSE_SECONDS,
  PAUSE_PATTERN,
  PAUSE_WORDS,
  PROMOTION_MODES,
  type PromotionSpec,
  type Strategy,
  TRAFFIC_MODES,
  type TrafficSpec,
} from './strategy.ts'
import type { ExperimentDeploymentSpec, SourceRef } from './types.ts'

/** The name of a namespace or of a Service. */
export const namespaceName = syntax(63, NAME_PATTERN, 'a name of lowercase letters, digits and -, such as cart')
/** The name of an object of most other kinds. */
export const anyObjectName = syntax(
  253,
  OBJECT_NAME_PATTERN,
  'a name of lowercase letters, digits, - and ., such as cart',
)

/** As in a path: never empty, `.` or `..`. */
const nameOf = (what: string) => text(253, '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$', `the name of a ${what}`)

const SOURCE_REF = object<SourceRef>({
  kind: narrowed(expecting('a string', anyText()), word(SOURCE_KINDS)),
  name: narrowed(nameOf('workload'), anyObjectName),
  namespace: optional(narrowed(nameOf('namespace'), namespaceName)),
})

const delay = optional(narrowed(amount, whole(0, MAX_TTL_SECONDS)))
const DELAYS = {
  scaleDownDelaySeconds: delay,
  abortScaleDownDelaySeconds: delay,
  progressDeadlineAbort: optional(flag),
}
const AMOUNT = 'a number of pods, such as 2, or a percentage, such as 25%'
const maxUnavailable = optional(countOrText(AMOUNT, 6, AMOUNT_PATTERN))

const STEP = choice<CanaryStep>({
  setWeight: optional(whole(0, 100)),
  pause: optional(
    object<NonNullable<CanaryStep['pause']>>({
      duration: optional(countOrText(PAUSE_WORDS, 36, PAUSE_PATTERN, MAX_PAUSE_SECONDS)),
    }),
  ),
  analysis: optional(object<NonNullable<CanaryStep['analysis']>>({})),
})

const CANARY = object<CanaryStrategy>({
  steps: optional(narrowed(arrayOf(STEP), arrayOf(STEP, 50))),
  maxSurge: optional(countOrText(AMOUNT, 6, AMOUNT_PATTERN, MAX_REPLICAS)),
  maxUnavailable,
  scaleDownSource: optional(flag),
  ...DELAYS,
})

const BLUE_GREEN = object<BlueGreenStrategy>({
  activeService: namespaceName,
  previewService: optional(namespaceName),
  previewReplicaCount: optional(narrowed(integer('int32', 0), integer('int32', 1))),
  autoPromotionEnabled: optional(flag),
  autoPromotionSeconds: delay,
  maxUnavailable,
  ...DELAYS,
})

/** `spec.strategy` */
export const STRATEGY = expecting(
  'a canary, such as {} or one with steps of setWeight or pause, or a blueGreen with an activeService',
  choice<Strategy>({ canary: optional(CANARY), blueGreen: optional(BLUE_GREEN) }),
)

/** `spec.traffic` */
export const TRAFFIC = expecting(
  'a mode, such as {mode: Gated}',
  object<TrafficSpec>({ mode: optional(word(TRAFFIC_MODES), 'Shared') }),
)

/** `spec.promotion` */
export const PROMOTION = expecting(
  'a mode, such as {mode: Manual}',
  object<PromotionSpec>({
    mode: optional(word(PROMOTION_MODES), 'Manual'),
    force: optional(flag),
    skipSteps: optional(flag),
    approvedRevision: optional(narrowed(anyText(), anyText(64))),
  }),
)

/** The `spec` of an experiment. */
export const EXPERIMENT_SPEC = object<ExperimentDeploymentSpec>({
  sourceRef: SOURCE_REF,
  overrideSpec: expecting('an object; write {} for no difference', anyObject),
  overrideType: optional(word(OVERRIDE_TYPES), DEFAULTS.overrideType),
  onSourceChange: optional(word(SOURCE_CHANGES), DEFAULTS.onSourceChange),
  replicas: optional(integer('int32', 0), DEFAULTS.replicas),
  ttlSeconds: optional(
    narrowed(
      expecting(`a whole number of seconds, at most ${MAX_TTL_SECONDS}`, whole(0, MAX_TTL_SECONDS)),
      integer('int64', 1, MAX_TTL_SECONDS),
    ),
  ),
  strategy: optional(STRATEGY),
  traffic: optional(TRAFFIC),
  promotion: optional(PROMOTION),
  analysis: optional(ANALYSIS),
})
