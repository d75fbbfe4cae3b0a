import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { Facts } from './check.ts'

/** What the API server answers to an experiment that it need not keep. */
export type DryRun =
  | { readonly is: 'admitted'; readonly object: unknown }
  /** a webhook does not answer, or not as it should */
  | { readonly is: 'broken'; readonly error: KubeError }
  /** the caller may not do it, or a policy or a webhook refuses it */
  | { readonly is: 'refused'; readonly error: KubeError }
  /** nobody can say: the API server has not answered */
  | { readonly is: 'unanswered'; readonly error: KubeError }

/** Asks for an experiment with this override, on a source that does not exist. Stores nothing. */
export async function dryRun(
  { cluster, installation, random }: Pick<Facts, 'cluster' | 'installation' | 'random'>,
  overrideSpec: JsonObject,
): Promise<DryRun> {
  const name = `doctor-${random().toString(36).slice(2, 10)}`
  const spec = { sourceRef: { kind: 'Deployment', name }, overrideSpec }
  try {
    const place = { namespace: namespaceOf(installation) }
    const object = await cluster.post(EXPERIMENT_DEPLOYMENT, place, { metadata: { name }, spec }, { dryRun: 'All' })
    return { is: 'admitted', object }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return { is: meaningOf(error), error }
  }
}

/** Where dry runs are made. */
export const namespaceOf = ({ served }: Facts['installation']): string => served ?? 'default'

function meaningOf({ kind, status }: KubeError): 'broken' | 'refused' | 'unanswered' {
  // the code with which the API server says that it could not call a webhook
  if (kind === 'server' && status === 500) return 'broken'
  return kind === 'forbidden' || kind === 'invalid' || kind === 'terminating' ? 'refused' : 'unanswered'
}
