/**
 * The program that runs in the network namespace. It sets up the addresses, runs kube-proxy, simulates all pods and
 * sends the requests. It takes orders over a Unix socket, which is the only connection to the outside.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { argv, env, exit } from 'node:process'
import { type Burst, send } from './burst.ts'
import { relay } from './relay.ts'
import { type Behaviors, simulatedPods } from './simulated-pods.ts'

/** The argument of this program, as JSON. Paths are absolute. */
export interface Inside {
  /** A Unix socket that leads to the API server, and the port of 127.0.0.1 to which kube-proxy connects. */
  readonly apiSocket: string
  readonly apiPort: number
  /**
   * The Unix socket for orders: `GET /ready`, `GET /synced`, `POST /ports`, `POST /behaviors`, `POST /relays`,
   * `POST /requests`.
   */
  readonly orders: string
  readonly kubeProxy: string
  readonly kubeProxyConfig: string
  readonly healthPort: number
  readonly metricsPort: number
  readonly client: string
  readonly podRange: string
  readonly serviceRange: string
}

/** Makes a port of 127.0.0.1 inside reachable by a Unix socket. */
export interface RelayOrder {
  readonly path: string
  readonly port: number
}

/**
 * A veth pair, because a kernel may lack the dummy device. Service addresses need a route, although they are rewritten.
 */
const network = ({ client, podRange, serviceRange }: Inside): readonly string[] => [
  'link set lo up',
  'link add d0 type veth peer name d1',
  `addr add ${client}/32 dev d0`,
  'link set d0 up',
  'link set d1 up',
  `route add local ${podRange} dev lo`,
  `route add ${serviceRange} dev d0 src ${client}`,
]

/** Starts kube-proxy. It is killed whenever this process ends, because nothing else would stop it. */
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

const pods = simulatedPods()

async function bodyOf<T>(asked: IncomingMessage): Promise<T> {
  let text = ''
  for await (const part of asked.setEncoding('utf8')) text += part
  return JSON.parse(text)
}

/** @throws Error while kube-proxy has seen a change that it has not applied yet */
async function assertSynced(metricsPort: number): Promise<void> {
  const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const [queuedS, syncedS] = ['last_queued_timestamp', 'last_timestamp'].map((name) =>
    Number(new RegExp(`^kubeproxy_sync_proxy_rules_${name}_seconds(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(page)?.[1]),
  )
  if (!(Number(syncedS) >= Number(queuedS))) throw new Error(`a change of ${queuedS} is not applied; last: ${syncedS}`)
}

async function answer(asked: IncomingMessage, { healthPort, metricsPort }: Inside): Promise<unknown> {
  switch (`${asked.method} ${asked.url}`) {
    case 'GET /ready': {
      const { status } = await fetch(`http://127.0.0.1:${healthPort}/healthz`)
      if (status !== 200) throw new Error(`kube-proxy says ${status}`)
      return {}
    }
    case 'GET /synced':
      await assertSynced(metricsPort)
      return {}
    case 'POST /ports':
      await Promise.all((await bodyOf<readonly number[]>(asked)).map(pods.listen))
      return {}
    case 'POST /behaviors':
      pods.behave(await bodyOf<Behaviors>(asked))
      return {}
    case 'POST /relays': {
      const { path, port } = await bodyOf<RelayOrder>(asked)
      await relay({ from: { path }, to: { host: '127.0.0.1', port } })
      return {}
    }
    case 'POST /requests':
      return send(await bodyOf<Burst>(asked))
    default:
      throw new Error(`unknown order: ${asked.method} ${asked.url}`)
  }
}

const inside = JSON.parse(argv[2] ?? '') as Inside
for (const command of network(inside)) execFileSync('ip', command.split(' '))
await relay({ from: { host: '127.0.0.1', port: inside.apiPort }, to: { path: inside.apiSocket } })
const stopKubeProxy = startKubeProxy(inside)
process.once('SIGTERM', () => void stopKubeProxy().then(() => exit(0)))

const take = async (asked: IncomingMessage, response: ServerResponse) => {
  try {
    response.end(JSON.stringify(await answer(asked, inside)))
  } catch (error) {
    response.writeHead(500).end(error instanceof Error ? error.message : String(error))
  }
}
createServer((asked, response) => void take(asked, response)).listen(inside.orders)
