/** Controllers that see the namespaces of one test only and have a Lease of their own, so that many lead at once. */
import { Semaphore } from '../../common/program/semaphore.ts'
import { controlPlane } from '../integration/fixture.ts'
import { DEADLINE_MS, installation, usesProduct } from '../integration/product.ts'
import { leads, type Rival, startRival } from '../integration/rivals.ts'
import { type ApiProxy, startApiProxy } from './api-proxy.ts'
import { mayLeadAnywhere, scopedPath } from './crash/actor.ts'
import type { Namespaces } from './crash/oracles.ts'
import { Rules } from './rules.ts'

/** A start takes a processor for a second. Too many at once would keep leaders from renewing their Leases. */
const starts = new Semaphore(3)

let count = 0

/**
 * To be called in a `describe`: the product runs without its controller. `overlay` is the folder of manifests that
 * installs it; default: manifests/base.
 */
export function usesProductAlone(overlay?: string): void {
  usesProduct(overlay)
  before('the controller of the run does not lead', async function () {
    this.timeout(2 * DEADLINE_MS)
    await (await installation()).controller().stop('SIGTERM', DEADLINE_MS)
    await mayLeadAnywhere()
  })
  after('the controller of the run leads again', async function () {
    this.timeout(2 * DEADLINE_MS)
    await (await installation()).startController()
  })
}

/** A namespace for the Lease of controllers that are about `namespace`. Returns its name. */
export async function aSystem(namespace: string): Promise<string> {
  const { api } = await controlPlane()
  const name = `${namespace}-system`
  await api.create('/api/v1/namespaces', { metadata: { name } })
  return name
}

/** Starts a controller as `startRival` does, but only few at once. Its name is `name` and a number. */
export async function startAlone(name: string, options: Parameters<typeof startRival>[1] = {}): Promise<Rival> {
  count += 1
  const numbered = `${name}-${count}`
  const env = { NODE_V8_COVERAGE: '', ...options.env }
  return starts.run(() => startRival(numbered, { ...options, env }), undefined)
}

/** A controller behind a proxy of its own. */
export interface Scoped {
  readonly rules: Rules
  /**
   * Ends the controller, and starts another one. Resolves when it leads. @throws Error if it had ended by itself, or
   * fails
   */
  readonly restart: () => Promise<void>
  /** @throws Error if the controller had ended by itself, or fails */
  readonly stop: () => Promise<void>
}

/**
 * Starts a controller that sees the experiments of one namespace, and the forks of one. Resolves when it leads. `env`
 * says which components it has.
 */
export async function startScoped(scope: Namespaces, env: Readonly<Record<string, string>> = {}): Promise<Scoped> {
  const rules = new Rules()
  const system = await aSystem(scope.own)
  const proxy: ApiProxy = await startApiProxy(await controlPlane())
  proxy.interfere({ ...rules.interference, onwardPath: (call) => scopedPath(scope, call) })
  let rival: Rival | undefined
  const end = async () => rival?.process.end('SIGTERM', DEADLINE_MS)
  const restart = async () => {
    await end()
    rival = await startAlone('scoped', { kubeconfigFor: proxy.kubeconfigFor, env: { POD_NAMESPACE: system, ...env } })
    await leads(rival)
  }
  const stop = async () => {
    try {
      await end()
    } finally {
      await proxy.close()
    }
  }
  await restart().catch(async (error) => {
    await stop()
    throw error
  })
  return { rules, restart, stop }
}
