/** Argo Rollouts' CRDs alone, for what needs Rollouts and nobody to reconcile them. */
import type { Api } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { applyCrds, removeCrds } from '../../sandbox/first-objects.ts'
import { argoCrds } from '../../sandbox/modules.ts'
import { controlPlane } from './fixture.ts'

/** To be called in a `describe`: the cluster serves Rollouts, and tells their schema, during its tests only. */
export function usesRolloutCrds(): void {
  before('the cluster has Rollouts', async () => {
    const { api } = await controlPlane()
    await applyCrds(api, await argoCrds())
    await eventually('the schema of Rollouts to be told', 30_000, () => isTold(api))
  })
  after('the cluster has no Rollouts', async () => {
    const { api } = await controlPlane()
    await removeCrds(api, await argoCrds())
    await eventually('the schema of Rollouts to be forgotten', 30_000, () => isForgotten(api))
  })
}

const told = async (api: Api, path: string): Promise<string> => {
  const document = await api.get<unknown>(path)
  return typeof document === 'string' ? document : JSON.stringify(document)
}

/** The index names a new group before its document has any kind in it. @throws Error until it has */
async function isTold(api: Api): Promise<void> {
  const text = await told(api, '/openapi/v3/apis/argoproj.io/v1alpha1')
  if (!text.includes('workloadRef')) throw new Error(`a document of ${text.length} characters`)
}

/** @throws Error while the index names the group, whose document is gone already */
async function isForgotten(api: Api): Promise<void> {
  if ((await told(api, '/openapi/v3')).includes('argoproj.io')) throw new Error('the index names it')
}
