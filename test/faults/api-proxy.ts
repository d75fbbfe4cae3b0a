import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request } from 'node:https'
import { join } from 'node:path'
import { issue } from '../../certs/issue.ts'
import { close, listen } from '../../common/program/listen.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { writeKubeconfig } from '../../sandbox/kubeconfig.ts'

/** A TLS proxy before the API server. */
export interface ApiProxy {
  /** Requests whose path matches are accepted from now on and never answered, nor passed on. */
  swallow: (path: RegExp) => void
  /** Writes a kubeconfig for a token, with the address of the proxy. */
  readonly kubeconfigFor: (who: { readonly user: string; readonly token: string }) => Promise<string>
  readonly close: () => Promise<void>
}

/** Starts a proxy. It passes tokens on, and streams in both directions. */
export async function startApiProxy(plane: ControlPlane): Promise<ApiProxy> {
  const { ca, cert, key } = await issue({ names: ['127.0.0.1'], clock: () => new Date() })
  const agent = new Agent({ ca: await readFile(plane.caFile), keepAlive: true })
  let swallowed: RegExp | undefined

  const pass = (from: IncomingMessage, to: ServerResponse): void => {
    const { method, headers, url = '' } = from
    if (swallowed?.test(url)) return
    const { host: _, ...rest } = headers
    const onward = request(new URL(url, plane.server), { agent, method, headers: rest }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
      answer.once('error', () => to.destroy())
    })
    onward.once('error', () => to.destroy())
    to.once('close', () => onward.destroy())
    from.pipe(onward)
  }
  const server = createServer({ cert, key }, pass)
  const port = await listen(server, 0, '127.0.0.1')
  const caFile = join(plane.stateDirectory, `proxy-${port}.crt`)
  await writeFile(caFile, ca)
  return {
    swallow: (path) => {
      swallowed = path
    },
    kubeconfigFor: (who) =>
      writeKubeconfig(join(plane.stateDirectory, 'kubeconfigs', `${who.user}-${port}`), {
        server: `https://127.0.0.1:${port}`,
        caFile,
        ...who,
      }),
    close: async () => {
      server.closeAllConnections()
      await close(server)
      agent.destroy()
    },
  }
}
