/** A control plane without the product, for tests that change a whole cluster. */
import { type ControlPlane, startControlPlane } from '../../sandbox/control-plane.ts'
import { applyCrds } from '../../sandbox/first-objects.ts'
import { certManagerCrds } from '../../sandbox/modules.ts'
import { type AuditOptions, stopAudited } from '../audited.ts'
import { needs } from '../needs.ts'

/** The waits in a start end earlier, with an error that names the reason. */
const START_MS = 300_000

/**
 * For `kubectl delete` of CRDs. In one of twelve times the API server of Kubernetes 1.36 forgot one. It looks at all of
 * them again after five minutes.
 */
export const CRDS_DELETED_MS = 400_000

/** In a `describe`: starts a control plane for its tests only. Returns a function that returns it. */
export function usesOwnControlPlane(
  crds: () => Promise<readonly string[]> | readonly string[] = () => [],
  options: AuditOptions = {},
): () => ControlPlane {
  needs('controlPlane')
  let plane: ControlPlane | undefined
  before('a control plane of its own runs', async function () {
    this.timeout(START_MS)
    plane = await startControlPlane({ say: (line) => console.error(line), crds: await crds() })
  })
  after(
    'it is stopped, and our accounts tried nothing that they may not do',
    () => plane && stopAudited(plane, options),
  )
  return () => {
    if (!plane) throw new Error('the control plane exists while tests run, not while they are described')
    return plane
  }
}

/** In a `describe`: the control plane of its tests knows the kinds of cert-manager. */
export function usesCertManagerCrds(plane: () => ControlPlane): void {
  needs('certManagerFiles')
  before('the kinds of cert-manager', async () => applyCrds(plane().api, await certManagerCrds()))
}
