/** Services, endpoints and their rows in `status.services`, for tests. */

import { type ForkAndSource, trafficInput } from '../../../common/surroundings/pod-labels.ts'
import { serviceShares } from '../../../common/surroundings/shares.ts'
import type { ServiceView, SliceView } from '../../../common/surroundings/traffic.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment, aFork, FORK } from '../../builders.ts'

export const slice = (service: string, ...pods: readonly string[]): SliceView => ({
  service,
  ready: pods.map((pod) => ({ uid: `uid-${pod}`, pod })),
})

export const ours = `${FORK}-7d9f-1`
export const service = (name: string, selector: Readonly<Record<string, string>>): ServiceView => ({ name, selector })
export const CART = service('cart', { app: 'cart' })
export const others = Array.from({ length: 11 }, (_, index) => `cart-${index}`)

export const pairOf = (of: Partial<ForkAndSource> = {}): ForkAndSource => {
  const source = of.source ?? aDeployment({ podLabels: { tier: 'web' } })
  return { kind: deployment, source, referents: [], fork: aFork(source, { labels: { tier: null } }), ...of }
}
export const rows = (
  services: readonly ServiceView[],
  slices: readonly SliceView[] = [],
  of: Partial<ForkAndSource> = {},
) => serviceShares({ services, slices }, trafficInput(pairOf(of)))
