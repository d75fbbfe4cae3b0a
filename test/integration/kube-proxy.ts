/** A real kube-proxy for the tests of a file. */
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { startTraffic, type Traffic } from '../../sandbox/traffic/traffic.ts'
import { usesControlPlane } from './fixture.ts'
import { DEADLINE_MS } from './product.ts'

/** In a `describe`: kube-proxy of a control plane runs, or its tests are skipped. Returns what sends requests. */
export function usesKubeProxy(plane: () => ControlPlane = usesControlPlane()): () => Traffic {
  let traffic: Traffic | undefined
  before('kube-proxy runs', async function () {
    this.timeout(2 * DEADLINE_MS)
    const started = await startTraffic(plane())
    if ('unavailable' in started) {
      console.error(`no real requests here: ${started.unavailable}`)
      this.skip()
    }
    traffic = started
  })
  after(() => traffic?.stop())
  return () => {
    if (!traffic) throw new Error('kube-proxy runs while tests run')
    return traffic
  }
}
