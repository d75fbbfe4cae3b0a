import { EXPERIMENT_DEPLOYMENT, REQUESTED_BY } from '../common/api/names.ts'
import { resourcePath } from '../common/kube/client/resources.ts'
import { type Api, ApiError } from './api.ts'
import { eventually } from './eventually.ts'

const DEADLINE_MS = 30_000

/**
 * Resolves when the API server calls both the mutating and the validating webhook for experiments in `namespace`, or
 * neither of them. It learns of a configuration some time after the configuration was written. Stores nothing.
 * @throws Error if this is not so after 30 s
 */
export async function reviews(api: Api, namespace: string, wanted: 'both' | 'neither'): Promise<void> {
  await eventually(`experiments in ${namespace} to be reviewed by ${wanted} of the webhooks`, DEADLINE_MS, async () => {
    const [mutated, validated] = await Promise.all([isMutated(api, namespace), isValidated(api, namespace)])
    if ([mutated, validated].some((is) => is !== (wanted === 'both')))
      throw new Error(`mutated: ${mutated}, validated: ${validated}`)
  })
}

const dryRun = (api: Api, namespace: string, spec: object) =>
  api.create(`${resourcePath(EXPERIMENT_DEPLOYMENT, { namespace })}?dryRun=All`, {
    apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
    kind: EXPERIMENT_DEPLOYMENT.kind,
    metadata: { generateName: 'is-it-reviewed-' },
    spec: { sourceRef: { kind: 'Deployment', name: 'none' }, ...spec },
  })

/** Whether the requester is noted on the resource. Only the mutating webhook does this. */
async function isMutated(api: Api, namespace: string): Promise<boolean> {
  const { metadata } = await dryRun(api, namespace, { overrideSpec: {} })
  return metadata.annotations?.[REQUESTED_BY] !== undefined
}

/** Whether an override of the name of a pod is refused. Only the validating webhook does this. */
async function isValidated(api: Api, namespace: string): Promise<boolean> {
  try {
    await dryRun(api, namespace, { overrideSpec: { template: { metadata: { name: 'a' } } } })
    return false
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return true
    throw error
  }
}
