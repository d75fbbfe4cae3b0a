import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { close, listen } from '../../../../common/program/listen.ts'
import type { Send } from '../../../../controller/analysis/providers/provider.ts'

/** A transaction that New Relic has. */
export interface Transaction {
  readonly timestamp: number
  readonly duration: number
  readonly host: string
  readonly appName: string
  readonly uri: string
  readonly error: boolean
}

/** What NerdGraph answers: with rows, with a body, or with a status. */
export type Played =
  | { readonly rows: readonly unknown[] }
  | { readonly body: unknown }
  | { readonly status: number; readonly retryAfter?: string }

/** Answers NRQL as New Relic documents it while `story` runs. Every query is in `asked`. */
export async function playing(
  answer: (nrql: string) => Played,
  story: (played: { readonly send: Send; readonly asked: readonly string[] }) => Promise<void>,
): Promise<void> {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const { query, variables } = JSON.parse(await text(request))
    const isSound =
      request.method === 'POST' &&
      request.url === '/graphql' &&
      request.headers['content-type'] === 'application/json' &&
      query === 'query($a:Int!,$q:Nrql!){actor{account(id:$a){nrql(query:$q,timeout:10){results}}}}' &&
      variables.a === 807783
    asked.push(variables.q)
    reply(response, isSound ? answered(answer, variables.q) : { status: 400 })
  })
  const port = await listen(server, 0, '127.0.0.1')
  try {
    await story({ send: sendingTo(`http://127.0.0.1:${port}`), asked })
  } finally {
    await close(server)
  }
}

/** What cannot be played is 500, so that a test of it ends. */
function answered(answer: (nrql: string) => Played, nrql: string): Played {
  try {
    return answer(nrql)
  } catch {
    return { status: 500 }
  }
}

function reply(response: ServerResponse, played: Played): void {
  if ('status' in played) {
    const { status, retryAfter } = played
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('secret')
    return
  }
  const results = 'rows' in played ? { data: { actor: { account: { nrql: { results: played.rows } } } } } : played.body
  response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(results))
}

const sendingTo =
  (address: string): Send =>
  async ({ method, path, body }) => {
    const headers = { 'content-type': body?.type ?? '', connection: 'close' }
    const response = await fetch(`${address}${path}`, { method, body: body?.text ?? null, headers })
    const after = response.headers.get('retry-after')
    if (response.ok) return { is: 'json', json: await response.json() }
    await response.arrayBuffer()
    return {
      is: 'failed',
      message: `${response.status}`,
      ...(after === null ? {} : { retryAfterMs: 1_000 * Number(after) }),
    }
  }

const TEXT = "'((?:\\\\.|[^'\\\\])*)'"
const SHAPE = new RegExp(
  `^SELECT (.+) FROM Transaction WHERE appName = ${TEXT}(?: AND request\\.uri = ${TEXT})? AND host IN \\((.+)\\) ` +
    'SINCE (\\d+) UNTIL (\\d+)( FACET host)?( LIMIT MAX)?$',
)
const unescaped = (quoted = ''): string => quoted.replaceAll(/\\(.)/g, '$1')

/** The rows of our queries about transactions. It reads no other NRQL. */
export function rowsOf(transactions: readonly Transaction[], nrql: string): readonly unknown[] {
  const [whole, select = '', appName, uri, hosts = '', since, until, facet] = SHAPE.exec(nrql) ?? []
  if (whole === undefined) throw new Error(`cannot play ${nrql}`)
  const named = [...hosts.matchAll(new RegExp(TEXT, 'g'))].map(([, host]) => unescaped(host))
  const found = transactions.filter(
    (each) =>
      each.appName === unescaped(appName) &&
      (uri === undefined || each.uri === unescaped(uri)) &&
      named.includes(each.host) &&
      each.timestamp >= Number(since) &&
      each.timestamp < Number(until),
  )
  if (select === 'duration, host') return found.map(({ timestamp, duration, host }) => ({ timestamp, duration, host }))
  if (facet === undefined) return [aggregate(select, found)]
  return Array.from(
    Map.groupBy(found, ({ host }) => host),
    ([host, group]) => ({
      facet: host,
      host,
      ...aggregate(select, group),
    }),
  )
}

const COLUMN = /filter\(count\(\*\), WHERE (duration > ([\d.]+)|\(error is true\))\) AS '(\w+)'/g

function aggregate(select: string, group: readonly Transaction[]): object {
  const durations = group.map(({ duration }) => duration).sort((one, other) => one - other)
  const median = durations[Math.floor(durations.length / 2)] ?? null
  const filters = [...select.matchAll(COLUMN)].map(([, condition, seconds, name]) => [
    name,
    group.filter(({ duration, error }) => (condition === '(error is true)' ? error : duration > Number(seconds)))
      .length,
  ])
  return {
    count: group.length,
    ...Object.fromEntries(filters),
    ...(select.includes('percentile(duration, 50)') ? { 'percentile.duration': { 50: median } } : {}),
  }
}
