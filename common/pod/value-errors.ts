import { listOr, member } from '../json/json.ts'
import type { Origin } from './containers.ts'
import { type Field, fieldAt, rootField, type ValueError } from './field.ts'
import { checkTemplate } from './pod.ts'
import { checkDeployment, checkRollout, checkStatefulSet } from './workload.ts'

/** The rules of a kind for what is beside its pod template. */
const RULES: Readonly<Record<string, (spec: Field) => void>> = {
  Deployment: checkDeployment,
  StatefulSet: checkStatefulSet,
  Rollout: checkRollout,
}

/**
 * Everything in the whole `spec` of a workload that Kubernetes refuses although types and fields are right. The rules
 * are those of the API server's validation, and a few for what it stores and no pod can run with: an image that is no
 * reference, a path with ":", a port name that does not exist. Where versions differ, the newest one counts.
 */
export function valueErrors(kind: string, spec: unknown, origin: Origin): readonly ValueError[] {
  const errors: ValueError[] = []
  const root = rootField(spec, errors)
  const isStatefulSet = kind === 'StatefulSet'
  const claimTemplates = isStatefulSet ? fieldAt(root, 'volumeClaimTemplates') : undefined
  checkTemplate({ template: fieldAt(root, 'template'), isStatefulSet, claimTemplates }, origin)
  RULES[kind]?.(root)
  return errors
}

/**
 * Whether the API server checks by itself what is wrong with a workload of `kind`, so that its answer counts. It does
 * not check the pods of a custom resource.
 */
export const isLeftToApiServer = (kind: string, { isStored }: Pick<ValueError, 'isStored'>): boolean =>
  BUILT_IN.has(kind) && !isStored

const BUILT_IN: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet'])

/** The names of all containers of a pod `spec`. */
export const containerNames = (pod: unknown): readonly string[] =>
  ['containers', 'initContainers'].flatMap((list) =>
    listOr(member(pod, list)).flatMap((container) => {
      const name = member(container, 'name')
      return typeof name === 'string' ? [name] : []
    }),
  )
