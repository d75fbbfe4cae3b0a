/** Services, endpoints, their rows in `status.services`, and collisions, for tests. */

import { expect } from 'chai'
import { OWNER_NAMESPACE } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { gated } from '../../../common/fork/gated-spec.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { collisions } from '../../../common/surroundings/collisions.ts'
import { type Neighbours, NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { type ForkAndSource, trafficInput } from '../../../common/surroundings/pod-labels.ts'
import { serviceShares } from '../../../common/surroundings/shares.ts'
import type { ServiceView, SliceView } from '../../../common/surroundings/traffic.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment, aFork, FORK } from '../../builders.ts'

export const slice = (service: string, ...pods: readonly string[]): SliceView => ({
  service,
  ready: pods.map((pod) => ({ address: `uid-${pod}`, pod })),
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

export const TWIN = 'cart-experiment-0123456789'

/** A fork and what is around it. */
export interface Colliding {
  readonly isGated?: boolean
  readonly isBalanced?: boolean
  /** whether the experiment is in another namespace */
  readonly isElsewhere?: boolean
  readonly source?: KubeObject | undefined
  readonly labels?: Readonly<Record<string, string | null>>
  /** of the pod */
  readonly override?: JsonObject
  readonly services?: readonly ServiceView[]
  readonly neighbours?: Partial<Neighbours>
}

const withOwnerElsewhere = (fork: KubeObject): KubeObject => {
  const labels = { ...fork.metadata.labels, [OWNER_NAMESPACE]: 'elsewhere' }
  return { ...fork, metadata: { ...fork.metadata, labels } }
}

/** The collisions of a fork, each as `[reason] message`. */
export function collisionLines({
  isGated,
  isBalanced = false,
  isElsewhere,
  services = [],
  neighbours,
  ...of
}: Colliding) {
  const source = Object.hasOwn(of, 'source') ? of.source : aDeployment()
  const { labels, override: pod } = of
  const made = aFork(source, { ...(labels ? { labels } : {}), ...(pod ? { pod } : {}) })
  const placed = isElsewhere ? withOwnerElsewhere(made) : made
  const fork = isGated ? gated(deployment, placed).fork : placed
  const pair = { kind: deployment, source, referents: [], fork, twinName: TWIN, isBalanced }
  const all = { ...NO_NEIGHBOURS, ...neighbours }
  const found = collisions({ pair, pods: trafficInput(pair, all.autoscalers), services, neighbours: all })
  const lines = found.map(({ reason, message }) => `[${reason}] ${message}`)
  for (const line of lines) expect(line.length, line).to.be.at.most(256)
  return lines
}
