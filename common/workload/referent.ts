import { REVIEWED_TEMPLATE } from '../api/names.ts'
import type { KubeObject, ResourceType } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { shortNameOf } from '../text/short-name.ts'
import type { WorkloadKind } from './kind.ts'

/** `Deployment/cart`: the object from which `source` takes its template. Undefined if it has its own template. */
export function referentName(kind: WorkloadKind, source: KubeObject): string | undefined {
  const referent = kind.refersTo?.(source)
  return referent && `${referent.resource.kind}/${referent.name}`
}

/**
 * Why `source` cannot be promoted: it takes its template from another object, which a promotion does not write.
 * Undefined if it has its own.
 */
export function templateElsewhere(kind: WorkloadKind, source: KubeObject): string | undefined {
  const referent = kind.refersTo?.(source)
  if (!referent) return undefined
  const [name, other] = [shortNameOf(source), referent.resource.kind.toLowerCase()]
  return `${name} takes its template from ${other}/${referent.name}, which a promotion does not write; change that instead`
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
