import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { writeKubeconfig } from '../../sandbox/kubeconfig.ts'
import { callOf } from './api-call.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'

/** A proxy before the API server. */
export interface ApiProxy extends FaultProxy {
  /** Writes a kubeconfig for a token, with the address of the proxy. */
  readonly kubeconfigFor: (who: { readonly user: string; readonly token: string }) => Promise<string>
}

/** Starts a proxy before the API server. It passes tokens on. */
export async function startApiProxy(plane: ControlPlane): Promise<ApiProxy> {
  const proxy = await startFaultProxy({ server: plane.server, ca: await readFile(plane.caFile, 'utf8'), callOf })
  const caFile = join(plane.stateDirectory, `proxy-${proxy.port}.crt`)
  await writeFile(caFile, proxy.ca)
  return {
    ...proxy,
    kubeconfigFor: (who) =>
      writeKubeconfig(join(plane.stateDirectory, 'kubeconfigs', `${who.user}-${proxy.port}`), {
        server: `https://127.0.0.1:${proxy.port}`,
        caFile,
        ...who,
      }),
  }
}
