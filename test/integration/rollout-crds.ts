/** Only the CRDs of Argo Rollouts, for tests that need Rollouts but no controller for them. */
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { rollout } from '../../common/workload/rollout.ts'
import type { Api } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { applyCrds, removeCrds } from '../../sandbox/first-objects.ts'
import { argoCrds } from '../../sandbox/modules.ts'
import { needs } from '../needs.ts'
import { controlPlane } from './fixture.ts'
import type { Place } from './product.ts'

/** The waits in it end earlier, with an error that names the reason. */
const TIMEOUT_MS = 120_000

/** To be called in a `describe`: the cluster serves Rollouts and their schema only during its tests. */
export function usesRolloutCrds(): void {
  needs('controlPlane', 'argoFiles')
  before('the cluster has Rollouts', async function () {
    this.timeout(TIMEOUT_MS)
    await withRolloutCrds((await controlPlane()).api)
  })
  after('the cluster has no Rollouts', async function () {
    this.timeout(TIMEOUT_MS)
    const { api } = await controlPlane()
    await removeCrds(api, await argoCrds())
    await eventually('the schema of Rollouts to be forgotten', 30_000, () => isForgotten(api))
  })
}

/**
 * The same for tests whose forks garbage collection deletes: it looks for new kinds every 30 seconds only, so that it
 * does not know Rollouts when their schema is told.
 */
export function usesCollectedRollouts(place: () => Place): void {
  usesRolloutCrds()
  before('garbage collection knows Rollouts', async function () {
    this.timeout(TIMEOUT_MS)
    const { api, namespace, path } = place()
    const owners = resourcePath(CONFIG_MAP, { namespace })
    const { metadata: owner } = await api.create(owners, { metadata: { name: 'owner' } })
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid ?? '' }]
    const { apiVersion, kind } = rollout
    await api.create(path('rollouts'), { apiVersion, kind, metadata: { name: 'owned', ownerReferences }, spec: {} })
    await api.delete(`${owners}/owner`)
    await eventually('the Rollout of a deleted owner to be gone', COLLECTED_MS, async () => {
      const left = await api.list(path('rollouts'))
      if (left.length > 0) throw new Error(`${left.length} are there`)
    })
  })
}

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' }
/** It looks for new kinds every 30 seconds, and then lists them. */
const COLLECTED_MS = 90_000

/** Makes the cluster serve Rollouts, and waits until it tells their schema. */
export async function withRolloutCrds(api: Api): Promise<void> {
  await applyCrds(api, await argoCrds())
  await eventually('the schema of Rollouts to be told', 30_000, () => isReported(api))
}

const told = async (api: Api, path: string): Promise<string> => {
  const document = await api.get<unknown>(path)
  return typeof document === 'string' ? document : JSON.stringify(document)
}

const KINDS = ['AnalysisRun', 'AnalysisTemplate', 'ClusterAnalysisTemplate', 'Experiment', 'Rollout']

/**
 * The OpenAPI index names a new group before its document contains a kind, and each added kind changes the address of
 * the document. @throws Error until all kinds are in the document at the address in the index
 */
async function isReported(api: Api): Promise<void> {
  const index: unknown = JSON.parse(await told(api, '/openapi/v3'))
  const address = at(index, 'paths', 'apis/argoproj.io/v1alpha1', 'serverRelativeURL')
  const text = typeof address === 'string' ? await told(api, address) : ''
  const missing = KINDS.filter((kind) => !text.includes(`.${kind}List"`))
  if (missing.length > 0) throw new Error(`${text.length} characters without ${missing.join(', ')}`)
}

/** @throws Error while the index still names the group, whose document is already removed */
async function isForgotten(api: Api): Promise<void> {
  if ((await told(api, '/openapi/v3')).includes('argoproj.io')) throw new Error('the index names it')
}
