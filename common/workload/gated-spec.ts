import { GATE } from '../api/names.ts'
import { isObject, type Json, type JsonObject, listOr } from '../json/json.ts'
import type { WorkloadKind } from './kind.ts'

/** The largest that Kubernetes and Argo accept. For Kubernetes it means that there is none. */
const NO_DEADLINE = 2_147_483_647

/** Part of a fork's spec without a progress deadline, and the deadline that it would have. */
interface WithoutDeadline {
  readonly spec: { readonly progressDeadlineSeconds?: number }
  /** absent: the default of the kind */
  readonly progressDeadlineSeconds?: number
}

/**
 * What a gated fork has in place of the progress deadline of `spec`. A pod that is shut is not ready, so a fork would
 * exceed its deadline although the containers of all its pods are ready. The former deadline is returned for those who
 * judge its health by the containers.
 */
export function withoutDeadline(
  { hasProgressDeadline }: Pick<WorkloadKind, 'hasProgressDeadline'>,
  { progressDeadlineSeconds: found }: Readonly<Record<string, unknown>>,
): WithoutDeadline {
  if (!hasProgressDeadline) return { spec: {} }
  const former = typeof found === 'number' ? { progressDeadlineSeconds: found } : {}
  return { spec: { progressDeadlineSeconds: NO_DEADLINE }, ...former }
}

/** A pod template with the gate, besides the readiness gates that it has. */
export function withGate(template: JsonObject): JsonObject {
  const { spec } = template
  if (!isObject(spec)) return template // the API server refuses it
  const gates = listOr(spec.readinessGates) as readonly Json[]
  if (gates.some((gate) => isObject(gate) && gate.conditionType === GATE)) return template
  const pod = { ...(spec as JsonObject), readinessGates: [...gates, { conditionType: GATE }] }
  return { ...template, spec: pod }
}
