/** The objects of a `PluginStore` behind a socket, for the plugin as a process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CertificatePair } from '../../certs/authority.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { RequestVerb } from '../../common/kube/client/request.ts'
import { parsePath } from '../../common/kube/client/resources.ts'
import { collect } from '../collect.ts'
import { serve } from '../fakes/wire.ts'
import type { PluginStore } from './a-plugin.ts'

const VERBS: Readonly<Record<string, RequestVerb>> = { POST: 'create', PATCH: 'patch', DELETE: 'delete' }

const KINDS: Readonly<Record<string, string>> = {
  experimentdeployments: 'ExperimentDeploymentList',
  pods: 'PodList',
  events: 'EventList',
  deployments: 'DeploymentList',
}

/**
 * An API server with the objects of `cluster`, and the path of a kubeconfig for it, in the namespace `shop`.
 * @param tls with which certificate; default: plain HTTP, over which no credentials are sent
 */
export async function servedCluster(cluster: PluginStore, tls?: CertificatePair) {
  const served = await serve((request, response) => void answer(cluster, request, response), tls)
  const folder = mkdtempSync(join(tmpdir(), 'plugin-'))
  const kubeconfig = join(folder, 'config')
  writeFileSync(kubeconfig, kubeconfigOf(`http${tls ? 's' : ''}://127.0.0.1:${served.port}`))
  return {
    kubeconfig,
    seen: served.seen,
    close: async () => {
      await served.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function answer(cluster: PluginStore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const query = Object.fromEntries(url.searchParams)
  const path = decodeURIComponent(url.pathname)
  if (query.watch) return watch(cluster, { path, query }, response)
  const text = Buffer.concat(await collect<Buffer>(request)).toString()
  const { plural = '', name } = parsePath(path) ?? {}
  const verb = VERBS[request.method ?? ''] ?? (name === undefined ? 'list' : 'get')
  const warnings: string[] = []
  const body = text === '' ? {} : { body: JSON.parse(text) as unknown }
  try {
    const expects = KINDS[plural]
    const found = await cluster.request({
      verb,
      path,
      query,
      ...body,
      ...(expects ? { expects } : {}),
      onWarning: (each) => warnings.push(each),
    })
    const headers = warnings.map((each): [string, string] => ['warning', `299 - ${JSON.stringify(each)}`])
    response.writeHead(200, [['content-type', 'application/json'], ...headers].flat())
    response.end(JSON.stringify(found))
  } catch (error) {
    const {
      status = error instanceof KubeError && error.kind === 'notFound' ? 404 : 500,
      causes = [],
      message,
    } = error as KubeError
    const reason = status === 404 ? 'NotFound' : status === 422 ? 'Invalid' : ''
    const details = { ...(name === undefined ? {} : { name }), causes }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code: status, reason, message, details }))
  }
}

async function watch(
  cluster: PluginStore,
  of: { path: string; query: Record<string, string> },
  response: ServerResponse,
) {
  const closed = new AbortController()
  response.on('close', () => closed.abort())
  response.writeHead(200, { 'content-type': 'application/json' })
  response.flushHeaders()
  try {
    for await (const line of await cluster.stream({ ...of, signal: closed.signal })) response.write(`${line}\n`)
  } catch {
    response.end() // the client has gone
  }
}

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me', namespace: 'shop' } }],
    clusters: [{ name: 'here', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'me', user: { token: 'secret' } }],
  })
