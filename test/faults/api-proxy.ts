import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { issue } from '../../certs/issue.ts'
import { linesOf } from '../../common/kube/client/body.ts'
import { close, listen } from '../../common/program/listen.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { writeKubeconfig } from '../../sandbox/kubeconfig.ts'
import { type ApiAnswer, type ApiCall, callOf, type Fate, type Interference } from './api-call.ts'

/** A TLS proxy before the API server. */
export interface ApiProxy {
  /** Replaces what happens to calls that arrive from now on. */
  interfere: (by: Interference) => void
  /** Writes a kubeconfig for a token, with the address of the proxy. */
  readonly kubeconfigFor: (who: { readonly user: string; readonly token: string }) => Promise<string>
  readonly close: () => Promise<void>
}

/** Starts a proxy. It passes tokens on. Watches are streamed; other answers are read whole before the caller gets them. */
export async function startApiProxy(plane: ControlPlane): Promise<ApiProxy> {
  const { ca, cert, key } = await issue({ names: ['127.0.0.1'], clock: () => new Date() })
  const agent = new Agent({ ca: await readFile(plane.caFile), keepAlive: true })
  let interference: Interference = {}

  const serve = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
    const call = callOf(from)
    const { onCall, onAnswer, onSent, onwardPath } = interference
    const first = (await onCall?.(call)) ?? 'pass'
    if (first !== 'pass') return end(to, first)
    const answer = await forward(from, to, { ...call, path: onwardPath?.(call) ?? from.url ?? '/' })
    if (call.isWatch) return
    const whole: ApiAnswer = {
      status: answer.statusCode ?? 502,
      headers: answer.headers,
      body: await buffer(answer),
    }
    const last = (await onAnswer?.(call, whole)) ?? 'pass'
    const sent = last === 'pass' ? whole : last
    if (typeof sent === 'object') to.once('finish', () => onSent?.(call, sent))
    end(to, sent)
  }
  /** Sends the call on, to its `path`. A watch is answered at once. */
  const forward = (from: IncomingMessage, to: ServerResponse, call: ApiCall) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { host: _, ...headers } = from.headers
      const url = new URL(call.path, plane.server)
      const onward = request(url, { agent, method: call.method, headers }, (answer) => {
        if (call.isWatch) stream(answer, to, call).catch(() => to.destroy())
        resolve(answer)
      })
      onward.once('error', reject)
      to.once('close', () => onward.destroy())
      from.pipe(onward)
    })
  /** Interference that begins later concerns the lines of a watch that is open already. */
  const stream = async (answer: IncomingMessage, to: ServerResponse, call: ApiCall): Promise<void> => {
    to.writeHead(answer.statusCode ?? 502, answer.headers)
    to.flushHeaders()
    const send = (line: string) => void (to.writable && to.write(`${line}\n`))
    interference.onWatch?.(call, { send, end: () => to.end() })
    for await (const line of linesOf(answer)) ((await interference.onLine?.(call, line)) ?? [line]).forEach(send)
    to.end()
  }
  const server = createServer({ cert, key }, (from, to) => {
    serve(from, to).catch(() => to.destroy())
  })
  const port = await listen(server, 0, '127.0.0.1')
  const caFile = join(plane.stateDirectory, `proxy-${port}.crt`)
  await writeFile(caFile, ca)
  return {
    interfere: (by) => {
      interference = by
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

function end(to: ServerResponse, fate: Exclude<Fate, 'pass'>): void {
  if (fate === 'hang') return
  if (fate === 'reset') {
    to.destroy()
    return
  }
  const { 'transfer-encoding': _, 'content-length': __, ...headers } = fate.headers
  to.writeHead(fate.status, { ...(headers as Record<string, string | string[]>), 'content-length': fate.body.length })
  to.end(fate.body)
}
