/**
 * The program of the network namespace: gives it its addresses, runs kube-proxy, plays all pods and is their clients.
 * It is told what to do over a Unix socket, the only way in.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { argv, env, exit } from 'node:process'
import { type Burst, send } from './burst.ts'
import { relay } from './relay.ts'

/** What this program is started with, as JSON. Paths are absolute. */
export interface Inside {
  /** A Unix socket behind which the API server is, and the port of 127.0.0.1 where kube-proxy looks for it. */
  readonly apiSocket: string
  readonly apiPort: number
  /** The Unix socket on which orders are taken: `GET /ready`, `POST /ports`, `POST /requests`. */
  readonly orders: string
  readonly kubeProxy: string
  readonly kubeProxyConfig: string
  readonly healthPort: number
  readonly client: string
  readonly podRange: string
  readonly serviceRange: string
}

/** A kernel may lack the dummy device, hence a pair. Service addresses need a route only to be rewritten on their way. */
const network = ({ client, podRange, serviceRange }: Inside): readonly string[] => [
  'link set lo up',
  'link add d0 type veth peer name d1',
  `addr add ${client}/32 dev d0`,
  'link set d0 up',
  'link set d1 up',
  `route add local ${podRange} dev lo`,
  `route add ${serviceRange} dev d0 src ${client}`,
]

/** It dies with us, however we die: nobody else knows it. */
function startKubeProxy({ kubeProxy, kubeProxyConfig }: Inside) {
  const proxy = spawn('setpriv', ['--pdeathsig', 'KILL', kubeProxy, `--config=${kubeProxyConfig}`], {
    stdio: 'inherit',
    env,
  })
  let isAsked = false
  proxy.once('exit', (code, signal) => {
    if (isAsked) return
    console.error(`kube-proxy ended by itself (${signal ?? `code ${code}`})`)
    exit(1)
  })
  return async () => {
    isAsked = true
    const gone = once(proxy, 'exit')
    proxy.kill()
    await gone
  }
}

const ports = new Map<number, Promise<unknown>>()

/** One server is every pod: the address that was dialled tells which. */
function playPodsAt(port: number): Promise<unknown> {
  const known = ports.get(port)
  if (known !== undefined) return known
  const server = createServer({ keepAlive: false }, ({ socket }, response) => response.end(socket.localAddress))
  const listening = once(server.listen(port, '0.0.0.0'), 'listening')
  ports.set(port, listening)
  return listening
}

async function bodyOf<T>(asked: IncomingMessage): Promise<T> {
  let text = ''
  for await (const part of asked.setEncoding('utf8')) text += part
  return JSON.parse(text)
}

async function answer(asked: IncomingMessage, healthPort: number): Promise<unknown> {
  switch (`${asked.method} ${asked.url}`) {
    case 'GET /ready': {
      const { status } = await fetch(`http://127.0.0.1:${healthPort}/healthz`)
      if (status !== 200) throw new Error(`kube-proxy says ${status}`)
      return {}
    }
    case 'POST /ports':
      await Promise.all((await bodyOf<readonly number[]>(asked)).map(playPodsAt))
      return {}
    case 'POST /requests':
      return send(await bodyOf<Burst>(asked))
    default:
      throw new Error(`no such order: ${asked.method} ${asked.url}`)
  }
}

const inside = JSON.parse(argv[2] ?? '') as Inside
for (const command of network(inside)) execFileSync('ip', command.split(' '))
await relay({ from: { host: '127.0.0.1', port: inside.apiPort }, to: { path: inside.apiSocket } })
const stopKubeProxy = startKubeProxy(inside)
process.once('SIGTERM', () => void stopKubeProxy().then(() => exit(0)))

const take = async (asked: IncomingMessage, response: ServerResponse) => {
  try {
    response.end(JSON.stringify(await answer(asked, inside.healthPort)))
  } catch (error) {
    response.writeHead(500).end(error instanceof Error ? error.message : String(error))
  }
}
createServer((asked, response) => void take(asked, response)).listen(inside.orders)
