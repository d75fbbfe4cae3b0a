import { decodeExperiment } from '../../common/api/decode.ts'
import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import type { ExperimentDeployment, FieldError } from '../../common/api/types.ts'
import { at, textOr } from '../../common/json/json.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { workloadKind } from '../../common/workload/registry.ts'
import type { AdmissionRequest } from './admission-review.ts'

/** A request that can be validated: it is decoded, its override is within limits, and its kind can be forked. */
export interface DecodedRequest {
  readonly request: AdmissionRequest
  /** for messages only; not validated */
  readonly name: string
  readonly experiment: ExperimentDeployment
  /**
   * the stored experiment, for an update. Undefined if it cannot be decoded or its override is beyond the limits, so
   * that an update can correct it
   */
  readonly previous: ExperimentDeployment | undefined
  readonly kind: WorkloadKind
  /** the source; its fork is in the same namespace */
  readonly source: { readonly namespace: string; readonly name: string }
}

/** Decodes `request`, or returns the mistakes that make it impossible to merge or print its override. */
export function decodeRequest(
  request: AdmissionRequest,
):
  | { readonly is: 'decoded'; readonly decoded: DecodedRequest }
  | { readonly is: 'invalid'; readonly errors: readonly FieldError[] } {
  const decoded = decodeExperiment(request.object, request.namespace)
  if (decoded.is === 'malformed') return { is: 'invalid', errors: decoded.errors }
  const { experiment } = decoded
  if (experiment.overrideErrors) return { is: 'invalid', errors: experiment.overrideErrors }
  const { sourceRef } = experiment.spec
  const kind = workloadKind(sourceRef.kind)
  if (!kind) return { is: 'invalid', errors: [unknownKind(sourceRef.kind)] }
  const source = { namespace: sourceNamespaceOf(experiment), name: sourceRef.name }
  return {
    is: 'decoded',
    decoded: { request, name: nameIn(request), experiment, previous: previousOf(request), kind, source },
  }
}

/** The name for messages; empty with `generateName`. */
export const nameIn = ({ object }: AdmissionRequest): string => textOr(at(object, 'metadata', 'name'), '')

function previousOf(request: AdmissionRequest): ExperimentDeployment | undefined {
  if (request.operation === 'CREATE') return undefined
  const old = decodeExperiment(request.oldObject, request.namespace)
  return old.is === 'malformed' || old.experiment.overrideErrors ? undefined : old.experiment
}

const unknownKind = (kind: string): FieldError => ({
  field: 'spec.sourceRef.kind',
  message: `unsupported value ${JSON.stringify(kind.slice(0, 60))}; the CRD lists the kinds that can be forked`,
  cause: 'FieldValueNotSupported',
})
