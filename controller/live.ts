import { isObject, type KubeObject, type ObjectMeta } from '../common/api/object.ts'
import type { ResourceType } from '../common/api/resource.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { KubeError } from '../common/kube/errors.ts'
import { pathOf } from '../common/kube/resources.ts'

/** Deletes that very object, by uid; one that is gone, or another one by now, is none of ours. @throws KubeError */
export async function deleted(
  client: KubeClient,
  resource: ResourceType,
  of: ObjectMeta,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name, uid } = of
  const body = { preconditions: { uid }, propagationPolicy: 'Background' }
  try {
    await client.request({ verb: 'delete', path: pathOf(resource, { namespace, name }), body, signal })
  } catch (error) {
    if (!(error instanceof KubeError && (error.kind === 'notFound' || error.kind === 'conflict'))) throw error
  }
}

/** An answer as the object that it is. @throws KubeError */
export const decoded = (answer: unknown): KubeObject => {
  if (isObject(answer) && isObject(answer.metadata)) return answer as KubeObject
  throw new KubeError({ kind: 'unreachable', message: 'the answer is no object' })
}

/** What makes an object absent for us; elsewhere in a cluster its kind may be missing as well. */
type Absence = readonly KubeError['kind'][]

/** The object that is asked for, if there is one. @throws KubeError other than an `absence` */
export async function orAbsent(
  answer: Promise<unknown>,
  absence: Absence = ['notFound'],
): Promise<KubeObject | undefined> {
  try {
    return decoded(await answer)
  } catch (error) {
    if (error instanceof KubeError && absence.includes(error.kind)) return undefined
    throw error
  }
}
