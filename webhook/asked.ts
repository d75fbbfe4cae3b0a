import { brokenLimits } from '../common/api/limits.ts'
import { at, textOr } from '../common/api/object.ts'
import { isLive, sourceNamespaceOf } from '../common/api/policy.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'
import { forkName } from '../common/workload/identity.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import { workloadKind } from '../common/workload/registry.ts'
import type { Need } from './access.ts'
import { decodeExperiment } from './decode.ts'
import type { AdmissionRequest } from './review.ts'

/** A request that can be judged: decoded, within limits, of a kind that can be forked. */
export interface Asked {
  readonly request: AdmissionRequest
  /** for the words to the user only, so whatever it is */
  readonly name: string
  readonly experiment: ExperimentDeployment
  /** before an update; undefined where it is none of ours or over the limits, so that it can be mended */
  readonly previous: ExperimentDeployment | undefined
  readonly kind: WorkloadKind
  /** where the source is, and so its fork */
  readonly place: { readonly namespace: string; readonly name: string }
}

/** `request`, or everything for which nothing may clone, merge or print it. */
export function askedBy(
  request: AdmissionRequest,
):
  | { readonly is: 'asked'; readonly asked: Asked }
  | { readonly is: 'invalid'; readonly errors: readonly FieldError[] } {
  const decoded = decodeExperiment(request.object, request.namespace)
  if (decoded.is === 'malformed') return { is: 'invalid', errors: decoded.errors }
  const { experiment } = decoded
  const broken = brokenLimits(experiment.spec.overrideSpec)
  if (broken.length > 0) return { is: 'invalid', errors: broken }
  const { sourceRef } = experiment.spec
  const kind = workloadKind(sourceRef.kind)
  if (!kind) return { is: 'invalid', errors: [unknownKind(sourceRef.kind)] }
  const place = { namespace: sourceNamespaceOf(experiment), name: sourceRef.name }
  const name = nameIn(request)
  return { is: 'asked', asked: { request, name, experiment, previous: previousOf(request), kind, place } }
}

/** Whether an update has go on again what was over: the fork went at its end, so this makes one as a create does. */
export const isRevival = ({ experiment, previous }: Asked, now: Date): boolean =>
  previous !== undefined && !isLive(previous, now) && isLive(experiment, now)

/** The name to tell the user, if there is one yet. */
export const nameIn = ({ object }: AdmissionRequest): string => textOr(at(object, 'metadata', 'name'), '')

function previousOf(request: AdmissionRequest): ExperimentDeployment | undefined {
  if (request.operation === 'CREATE') return undefined
  const old = decodeExperiment(request.oldObject, request.namespace)
  if (old.is === 'malformed' || brokenLimits(old.experiment.spec.overrideSpec).length > 0) return undefined
  return old.experiment
}

const unknownKind = (kind: string): FieldError => ({
  field: 'spec.sourceRef.kind',
  message: `unsupported value ${JSON.stringify(kind.slice(0, 60))}; the CRD lists the kinds that can be forked`,
  cause: 'FieldValueNotSupported',
})

/**
 * What the controller will do for the requester, who could do it herself: make a workload of that kind there, or change
 * the one that was made, out of what is in the source.
 */
export function needsOf({ request, kind, place, experiment }: Asked): readonly Need[] {
  const { namespace, name } = place
  const fork = forkName(name, experiment.metadata.uid)
  return [
    { verb: 'create', resource: kind, namespace },
    { verb: 'get', resource: kind, namespace, name },
    ...(request.operation === 'UPDATE' ? [{ verb: 'patch', resource: kind, namespace, name: fork } as const] : []),
  ]
}
