import { GATE, REVISION } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { sha256Of, WHOLE } from '../json/canonical.ts'
import { at, isEmpty, isObject, type Json, type JsonObject, listOr, objectOr } from '../json/json.ts'
import { keeping } from '../json/keeping.ts'
import type { WorkloadKind } from '../workload/kind.ts'

/** The largest that Kubernetes and Argo accept. For Kubernetes it means that there is none. */
const NO_DEADLINE = 2_147_483_647
const DIGITS = 10

/** A fork whose pods get no requests until they are opened. */
interface Gated {
  readonly fork: KubeObject
  /** the deadline that the fork does not have, in seconds; absent: the default of its kind */
  readonly progressDeadlineSeconds?: number
}

/**
 * `fork` with a readiness gate in its template, and with the revision of the template in an annotation: who may read
 * only pods could not tell otherwise of which revision of a Deployment a pod is. It has no progress deadline. A pod
 * that is shut is not ready, so a fork would exceed it although the containers of all its pods are ready. The former
 * deadline is returned for those who judge its health by the containers.
 */
export function gated({ hasProgressDeadline }: Pick<WorkloadKind, 'hasProgressDeadline'>, fork: KubeObject): Gated {
  const { progressDeadlineSeconds: former, ...spec } = objectOr(fork.spec)
  const plain = objectOr(spec.template) as JsonObject
  const template = gatedTemplates(plain, [], () => withRevision(withGate(plain)))
  const deadline = hasProgressDeadline ? { progressDeadlineSeconds: NO_DEADLINE } : {}
  const formerDeadline = hasProgressDeadline && typeof former === 'number' ? { progressDeadlineSeconds: former } : {}
  return { fork: { ...fork, spec: { ...spec, ...deadline, template } }, ...formerDeadline }
}

const gatedTemplates = keeping<JsonObject>()
const revisions = keeping<string>()

/** A hash of the pod template of a fork: the revision of its pods. Ten hex digits. */
export const revisionOf = (fork: KubeObject): string => shortRevision(wholeRevisionOf(fork))

/** The whole hash of the pod template of a fork. */
export const wholeRevisionOf = (fork: KubeObject): string => templateRevision(at(fork, 'spec', 'template'))

/** The revision that pods have in an annotation: the first ten digits of the whole one. */
export const shortRevision = (whole: string): string => whole.slice(0, DIGITS)

/** The hash leaves out the annotation that stores it. */
function templateRevision(template: unknown): string {
  if (!isObject(template)) return sha256Of(template, WHOLE)
  return revisions(template, [], () => {
    const { annotations, ...metadata } = objectOr(template.metadata)
    const { [REVISION]: _said, ...others } = objectOr(annotations)
    return sha256Of({ ...template, metadata: isEmpty(others) ? metadata : { ...metadata, annotations: others } }, WHOLE)
  })
}

function withRevision(template: JsonObject): JsonObject {
  const metadata = objectOr(template.metadata) as JsonObject
  const annotations = {
    ...(objectOr(metadata.annotations) as JsonObject),
    [REVISION]: shortRevision(templateRevision(template)),
  }
  return { ...template, metadata: { ...metadata, annotations } }
}

/** A pod template with the gate, besides the readiness gates that it has. */
function withGate(template: JsonObject): JsonObject {
  const { spec } = template
  if (!isObject(spec)) return template // the API server refuses it
  const gates = listOr(spec.readinessGates) as readonly Json[]
  if (gates.some((gate) => isObject(gate) && gate.conditionType === GATE)) return template
  const pod = { ...(spec as JsonObject), readinessGates: [...gates, { conditionType: GATE }] }
  return { ...template, spec: pod }
}

/** Whether the pods of a workload get no requests until they are opened. */
export const isGatedFork = (fork: KubeObject): boolean =>
  listOr(at(fork, 'spec', 'template', 'spec', 'readinessGates')).some(
    (gate) => isObject(gate) && gate.conditionType === GATE,
  )
