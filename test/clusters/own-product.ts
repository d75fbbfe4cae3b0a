import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { crds, type Installation, type InstallOptions, install } from '../../sandbox/installation.ts'
import { type Place, placeAt } from '../integration/product.ts'
import { usesOwnControlPlane } from './own-plane.ts'

/** The namespace of the tests. */
export const NAMESPACE = 'shop'

interface OwnProduct {
  readonly plane: () => ControlPlane
  readonly place: () => Place
  readonly installed: () => Installation
}

/**
 * In a `describe`: the product runs on a control plane of its own, which has the namespace `shop`. Returns functions
 * that return them while tests run. `overlay` is called when the control plane runs.
 */
export function usesOwnProduct(
  overlay: () => Promise<string> | string,
  options: Omit<InstallOptions, 'overlay'> = {},
): OwnProduct {
  const plane = usesOwnControlPlane(crds)
  let place: Place | undefined
  let installed: Installation | undefined
  before('the product runs', async function () {
    this.timeout(180_000)
    await plane().api.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
    installed = await install(plane(), { ...options, overlay: await overlay() })
    place = placeAt(plane().api, plane().kubectl, NAMESPACE)
  })
  const found = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the product runs while tests run, not while they are described')
    return value
  }
  return { plane, place: () => found(place), installed: () => found(installed) }
}
