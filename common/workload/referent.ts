import { REVIEWED_TEMPLATE } from '../api/names.ts'
import type { KubeObject, ResourceType } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { WorkloadKind } from './kind.ts'

/** `Deployment/cart`: the object from which `source` takes its template. Undefined if it has its own template. */
export function referentName(kind: WorkloadKind, source: KubeObject): string | undefined {
  const referent = kind.refersTo?.(source)
  return referent && `${referent.resource.kind}/${referent.name}`
}

/**
 * The object whose template the last review allowed to read, by the annotation of `experiment`. The source may be
 * created or changed after the review, so what it refers to now proves nothing. Undefined without such a review.
 */
export function reviewedReferent(
  kind: WorkloadKind,
  experiment: ExperimentDeployment,
): { readonly resource: ResourceType; readonly name: string } | undefined {
  const [referent, name, ...more] = experiment.metadata.annotations?.[REVIEWED_TEMPLATE]?.split('/') ?? []
  const resource = kind.referents?.find((each) => each.kind === referent)
  return resource && name && more.length === 0 && OBJECT_NAME.test(name) ? { resource, name } : undefined
}

/** The name of a Kubernetes object: a DNS subdomain. */
export const OBJECT_NAME = /^[a-z0-9][-a-z0-9.]{0,252}$/
