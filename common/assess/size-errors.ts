import type { Amount } from '../api/amount.ts'
import { warning } from '../api/conditions.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { FieldError, Warning } from '../api/types.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { sizeRecordOf } from '../scaling/record.ts'
import { sizeOf } from '../scaling/size.ts'
import { autoscaled, leavingServices } from '../situation/leaving-services.ts'
import { sizeDeclaredBy, sizeSetLaterBy } from '../strategy/declared.ts'
import { type StrategyRunSpec, strategyRunSpec } from '../strategy/run-spec.ts'
import { listed } from '../text/list.ts'
import { shortNameOf } from '../text/short-name.ts'

const FIELD = 'spec.strategy.canary.scaleDownSource'

interface SizeInput {
  readonly facts: SpecFacts
  readonly spec: StrategyRunSpec
  /** undefined while it does not exist */
  readonly source: KubeObject | undefined
  /** the wanted fork; undefined: there is none */
  readonly fork: KubeObject | undefined
}

/** Why a canary may not change the size of its source, and what to do. */
type SizeRule = (input: SizeInput) => string | undefined

/** How a canary gets on without it. */
const WITHOUT = 'leave it out, and use weights that maxSurge allows beside the source, or promote earlier'

const isNoDeployment: SizeRule = ({ facts: { experiment } }) => {
  const { kind } = experiment.spec.sourceRef
  return kind === 'Deployment' ? undefined : `only a Deployment can get smaller, not a ${kind}; ${WITHOUT}`
}

const isNotInstalled: SizeRule = ({ facts }) =>
  facts.installed.promotion
    ? undefined
    : 'this installation has no component "promotion", so it changes no sources; ask an administrator, or leave it out'

const isGated: SizeRule = ({ spec }) =>
  spec.isGated
    ? 'the fork of traffic.mode Gated runs beside its whole source; leave out scaleDownSource or the mode'
    : undefined

const hasTwin: SizeRule = ({ facts: { experiment } }) =>
  experiment.spec.analysis?.control === 'Twin'
    ? 'the twin of analysis.control runs beside the whole source; leave out scaleDownSource or the control'
    : undefined

const isZero = (amount: Amount): boolean => Number.parseInt(String(amount), 10) === 0

/** Where only rounding makes 0 of both limits, one pod may be unavailable, so nothing is to be said then. */
const hasNoBounds: SizeRule = ({ spec: { maxSurge, maxUnavailable }, source }) => {
  if (!isZero(maxSurge)) return undefined
  if (isZero(maxUnavailable)) return 'maxSurge and maxUnavailable are both 0; raise one of them'
  return source && sizeOf(source).wanted === 1 ? '1 + 1 needs maxSurge 1; raise maxSurge' : undefined
}

const isManaged: SizeRule = ({ facts, source }) => {
  const referrer = source && knownValue(facts.surroundings.referrer)
  return referrer && `${referrer} takes its template from ${shortNameOf(source)}, and scales it; ${WITHOUT}`
}

const isAutoscaled: SizeRule = ({ facts, source, fork }) => {
  // no autoscalers are read where no fork is wanted, because of another mistake
  const found = source && fork && autoscaled(facts, source)
  return (
    found &&
    `${found.message}; ${found.isUnknown ? 'try again' : 'delete it for the time of the run'}, or leave this out`
  )
}

const isDeclared: SizeRule = ({ source }) => {
  const found = source && sizeDeclaredBy(source)
  return (
    found &&
    `${found} has spec.replicas of ${shortNameOf(source)}; hand the field over first, as the guide says. Never only delete the line: Kubernetes then sets 1`
  )
}

const leavesServices: SizeRule = ({ facts, source, fork }) => {
  if (!source || !fork) return undefined
  const found = leavingServices(facts, fork)
  if (!found) return 'whether a Service sends only to the source is not known now; try again'
  return found.length === 0
    ? undefined
    : `the fork gets no requests from ${listed(found.map(({ name }) => name))}, and the source gets smaller; keep its labels and ports, or leave this out`
}

const isBusy: SizeRule = ({ facts: { experiment }, source }) => {
  const record = source && sizeRecordOf(source)
  return record && record.experiment !== experiment.metadata.uid
    ? `the experiment with the uid ${record.experiment} has made ${shortNameOf(source)} smaller; wait until it is over`
    : undefined
}

const RULES: readonly SizeRule[] = [
  isNoDeployment,
  isNotInstalled,
  isGated,
  hasTwin,
  hasNoBounds,
  isManaged,
  isAutoscaled,
  isDeclared,
  leavesServices,
  isBusy,
]

/**
 * Why the source of a canary with `scaleDownSource` cannot get smaller as `fork` grows; none for other strategies. What
 * depends on the source is not judged while the source does not exist: the run waits then.
 */
export function sizeErrors(facts: SpecFacts, fork: KubeObject | undefined): readonly FieldError[] {
  const spec = strategyRunSpec(facts.experiment.spec)
  if (!spec?.isInsideSource) return []
  const isDeployment = facts.experiment.spec.sourceRef.kind === 'Deployment'
  const source = isDeployment ? knownValue(facts.source)?.object : undefined
  const input = { facts, spec, source, fork }
  return RULES.flatMap((rule) => {
    const message = rule(input)
    return message === undefined ? [] : [{ field: FIELD, message, cause: 'FieldValueInvalid' as const }]
  })
}

/** What will set the size of the source again in the middle of a run, which waits then. */
export function sizeWarnings(facts: SpecFacts): readonly Warning[] {
  const source = knownValue(facts.source)?.object
  const found = source && strategyRunSpec(facts.experiment.spec)?.isInsideSource && sizeSetLaterBy(source)
  return found ? [warning('SourceScaled', `${found}; the run then waits`)] : []
}
