import { EXPERIMENT_DEPLOYMENT, REQUESTED_BY } from '../common/api/names.ts'
import { pathOf } from '../common/kube/resources.ts'
import { type Api, ApiError } from './api.ts'
import { eventually } from './eventually.ts'

const DEADLINE_MS = 30_000

/**
 * Resolves once the API server has both the mutating and the validating webhook review experiments in `namespace`, or
 * neither of them: it learns of either configuration some time after that was written. Stores nothing.
 * @throws Error when it still does not after 30 s
 */
export async function reviews(api: Api, namespace: string, wanted: 'both' | 'neither'): Promise<void> {
  await eventually(`experiments in ${namespace} to be reviewed by ${wanted} of the webhooks`, DEADLINE_MS, async () => {
    const [mutated, validated] = await Promise.all([isMutated(api, namespace), isValidated(api, namespace)])
    if ([mutated, validated].some((is) => is !== (wanted === 'both')))
      throw new Error(`mutated: ${mutated}, validated: ${validated}`)
  })
}

const dryRun = (api: Api, namespace: string, spec: object) =>
  api.create(`${pathOf(EXPERIMENT_DEPLOYMENT, { namespace })}?dryRun=All`, {
    apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
    kind: EXPERIMENT_DEPLOYMENT.kind,
    metadata: { generateName: 'is-it-reviewed-' },
    spec: { sourceRef: { kind: 'Deployment', name: 'none' }, ...spec },
  })

/** Whether who asks is noted on the resource, which only the mutating webhook does. */
async function isMutated(api: Api, namespace: string): Promise<boolean> {
  const { metadata } = await dryRun(api, namespace, { overrideSpec: {} })
  return metadata.annotations?.[REQUESTED_BY] !== undefined
}

/** Whether an override is refused that the schema knows nothing of. */
async function isValidated(api: Api, namespace: string): Promise<boolean> {
  try {
    await dryRun(api, namespace, { overrideSpec: { replicas: 1 } })
    return false
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return true
    throw error
  }
}
