/** A controller whose every call to the API server goes through a proxy, instead of that of the run. */
import { aNamespace, controlPlane } from '../integration/fixture.ts'
import { aSource, DEADLINE_MS, installation, type Place, placeIn } from '../integration/product.ts'
import { leads, type Rival, startRival } from '../integration/rivals.ts'
import type { ApiCall } from './api-call.ts'
import { type ApiProxy, startApiProxy } from './api-proxy.ts'
import { Rules } from './rules.ts'

/** A call with the time of its arrival at the proxy. */
export interface Arrived extends ApiCall {
  readonly atMs: number
}

export interface Proxied {
  readonly rules: Rules
  readonly rival: Rival
  /** all calls so far, in the order of their arrival */
  readonly calls: readonly Arrived[]
  /** Ends the controller, and starts another one. @throws Error if it had ended by itself, or fails */
  readonly restart: () => Promise<Rival>
}

let count = 0

/** To be called in a `describe`: a controller behind a proxy leads. Returns a function that returns it. */
export function usesProxied(): () => Proxied {
  const rules = new Rules()
  const calls: Arrived[] = []
  let proxy: ApiProxy | undefined
  let rival: Rival | undefined

  async function restart(): Promise<Rival> {
    await rival?.process.end('SIGTERM', DEADLINE_MS)
    proxy ??= await startApiProxy(await controlPlane())
    const { onCall, ...others } = rules.interference
    proxy.interfere({
      ...others,
      onCall: (call) => {
        calls.push({ ...call, atMs: performance.now() })
        return onCall(call)
      },
    })
    count += 1
    rival = await startRival(`proxied${count}`, { kubeconfigFor: proxy.kubeconfigFor })
    await leads(rival)
    return rival
  }
  before('a controller behind a proxy leads', async function () {
    this.timeout(4 * DEADLINE_MS)
    await (await installation()).controller().stop('SIGTERM', DEADLINE_MS)
    await restart()
  })
  after('the controller of the run takes over again', async function () {
    this.timeout(2 * DEADLINE_MS)
    try {
      await rival?.process.end('SIGTERM', DEADLINE_MS)
    } finally {
      await proxy?.close()
      await (await installation()).startController()
    }
  })
  return () => {
    if (!rival) throw new Error('the controller is there when tests run')
    return { rules, rival, calls, restart }
  }
}

/** A namespace with the source `cart`. */
export async function aShop(): Promise<Place> {
  const place = await placeIn(await aNamespace())
  await aSource(place, 'cart')
  return place
}
