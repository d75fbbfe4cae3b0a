/** The real Argo Rollouts controller in the control plane of the run, and the Rollouts that it reconciles. */
import type { JsonObject } from '../../common/json/json.ts'
import { type ArgoOptions, type ArgoRollouts, startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import { needs } from '../needs.ts'
import { controlPlane, usesControlPlane } from './fixture.ts'
import type { Place } from './product.ts'

/** The waits in it end earlier, with an error that names the reason. */
const START_MS = 180_000

/**
 * To be called in a `describe`: Argo Rollouts runs during its tests. Afterwards it is removed with its CRDs and every
 * Rollout, because most users of the product do not have it.
 * @returns a function that returns it while the tests run
 */
export function usesArgoRollouts(options: ArgoOptions = {}): () => ArgoRollouts {
  usesControlPlane()
  needs('argoRollouts', 'argoFiles')
  let argo: ArgoRollouts | undefined
  before('Argo Rollouts reconciles', async function () {
    this.timeout(START_MS)
    argo = await startArgoRollouts(await controlPlane(), options)
  })
  after('Argo Rollouts is removed', async function () {
    this.timeout(START_MS)
    await argo?.stop()
    await argo?.removeCrds()
  })
  return () => {
    if (!argo) throw new Error('Argo Rollouts is there when tests run, not while they are described')
    return argo
  }
}

/** Creates a Rollout `name` of two pods with the label `app=NAME`. Without `spec` it is a canary without steps. */
export async function aRollout({ api, path }: Place, name: string, spec: JsonObject = {}): Promise<void> {
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] } }
  await api.create(path('rollouts'), {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      strategy: { canary: {} },
      ...(Object.hasOwn(spec, 'workloadRef') ? {} : { template }), // Argo accepts only one of the two
      ...spec,
    },
  })
}
