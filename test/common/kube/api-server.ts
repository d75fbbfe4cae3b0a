import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KubeClient, type KubeClientOptions, kubeClient, type Sent } from '../../../common/kube/client/client.ts'
import { realTimers, type Timers } from '../../../common/program/clock.ts'
import { collect } from '../../collect.ts'

export type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A local server that answers as the test says, and a client of it. */
export interface ServedClient {
  readonly client: KubeClient
  /** every request so far: `GET /path token user-agent` */
  readonly seen: readonly { readonly line: string; readonly token: string | undefined; readonly body: string }[]
  readonly headers: readonly IncomingMessage['headers'][]
  /** what the client has reported of its requests */
  readonly sent: readonly Sent[]
  /** the TCP connections opened so far */
  readonly connections: number
  writeToken(token: string): void
  close(): Promise<void>
}

/** @param answers one for each request in turn; the last goes on answering */
export async function serve(
  answers: readonly Respond[],
  timers: Timers = realTimers(),
  options: Partial<KubeClientOptions> = {},
): Promise<ServedClient> {
  const seen: { line: string; token: string | undefined; body: string }[] = []
  const headers: IncomingMessage['headers'][] = []
  const sent: Sent[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)]
    const place = seen.push({
      line: `${request.method} ${request.url}`,
      token: request.headers.authorization,
      body: '',
    })
    headers.push(request.headers)
    const body = Buffer.concat(await collect<Buffer>(request)).toString()
    Object.assign(seen[place - 1] ?? {}, { body })
    answer?.(request, response, body)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const folder = mkdtempSync(join(tmpdir(), 'kube-client-'))
  const kubeconfig = join(folder, 'config')
  const writeToken = (token: string) => writeFileSync(kubeconfig, kubeconfigOf(port, token))
  writeToken('first')
  const onSent = (each: Sent) => void sent.push(each)
  const client = kubeClient({ kubeconfig, userAgent: 'test/1', timers, random: () => 0, onSent, ...options })
  return {
    client,
    seen,
    headers,
    sent,
    get connections() {
      return connections
    },
    writeToken,
    async close() {
      await client.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true })
    },
  }
}

// the library takes plain HTTP only with insecure-skip-tls-verify
const kubeconfigOf = (port: number, token: string) =>
  JSON.stringify({
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
    clusters: [
      { name: 'here', cluster: { server: `http://127.0.0.1:${port}/root/`, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'me', user: { token } }],
  })

export const json =
  (status: number, body: object, headers: Record<string, string> = {}): Respond =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

export const reset: Respond = (request) => {
  request.socket.destroy()
}

export const silence: Respond = () => {}
