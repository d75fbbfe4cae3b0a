import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import type { KubeObject } from '../../common/api/object.ts'
import { NOBODY, POD_RANGE, SERVICE_RANGE } from '../components.ts'
import type { ControlPlane } from '../control-plane.ts'
import { eventually } from '../eventually.ts'
import { describeExit } from '../processes.ts'
import type { Answers, Burst } from './burst.ts'
import type { Inside, RelayOrder } from './inside.ts'
import { inNamespaceOf, inNewNamespace, TOOLS_PATH, whyNoNamespace } from './namespace.ts'
import { type PortsInside, portsInside } from './ports-inside.ts'
import { relay } from './relay.ts'
import type { Behaviors } from './simulated-pods.ts'

/** A Service. Requests go to its first port. */
export interface ServiceName {
  readonly namespace: string
  readonly service: string
}

/** Real requests through Services, which Kubernetes' own kube-proxy routes. */
export interface Traffic {
  /**
   * Sends `count` requests to the address of the Service, each over a new connection, by default for the path `/`.
   * Never rejects for a failed request.
   */
  readonly requests: (count: number, asked: ServiceName, path?: string) => Promise<Answers>
  /**
   * Resolves when kube-proxy has applied all changes that it has seen. While it applies one, of any Service, a few new
   * connections in 100,000 are lost or refused.
   */
  readonly synced: () => Promise<void>
  /** Resolves when pods answer at these ports, also if no Service sends there. */
  readonly listen: (...podPorts: readonly number[]) => Promise<void>
  /** Changes how pods answer from now on. By default they answer at once. */
  readonly behave: (behaviors: Behaviors) => Promise<void>
  /** The network namespace itself, for other programs in it. */
  readonly namespace: NetworkNamespace
  /** Resolves when kube-proxy and the network namespace are gone. */
  readonly stop: () => Promise<void>
}

/** A network namespace that has programs and ports of its own. The API server has the same address inside. */
export interface NetworkNamespace {
  /** The command that runs `command` inside, as the same process. */
  readonly commandIn: (command: readonly string[]) => readonly [string, ...string[]]
  readonly reach: PortsInside['reach']
}

/** Why no traffic is possible here, and what to do about it. */
interface NoTraffic {
  readonly unavailable: string
}

const DEADLINE_MS = 30_000
// every port is free in a new network namespace
const HEALTH_PORT = 10_256
const METRICS_PORT = 10_249

interface Service extends KubeObject {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly port: number }[] }
}
interface EndpointSlice extends KubeObject {
  readonly ports?: readonly { readonly port?: number }[] | null
}

/**
 * Starts a network namespace with kube-proxy and one server that simulates all pods and their clients. Everything else
 * stays outside, and no packet leaves the machine.
 * @throws Error that says how kube-proxy ended, or that it is not ready after 30 s
 */
export async function startTraffic(plane: ControlPlane): Promise<Traffic | NoTraffic> {
  const unavailable = await whyNoNamespace()
  if (unavailable) return { unavailable }
  const folder = await mkdtemp(join(plane.stateDirectory, 'traffic-'))
  const inside: Inside = {
    apiSocket: join(folder, 'api.sock'),
    apiPort: Number(new URL(plane.server).port),
    orders: join(folder, 'orders.sock'),
    kubeProxy: plane.binaries['kube-proxy'],
    kubeProxyConfig: join(folder, 'kube-proxy.json'),
    healthPort: HEALTH_PORT,
    metricsPort: METRICS_PORT,
    client: NOBODY,
    podRange: POD_RANGE,
    serviceRange: SERVICE_RANGE,
  }
  await writeFile(inside.kubeProxyConfig, JSON.stringify(await kubeProxyConfig(plane)))
  const outside = await relay({ from: { path: inside.apiSocket }, to: { host: '127.0.0.1', port: inside.apiPort } })
  const commandLine = [process.execPath, join(import.meta.dirname, 'inside.ts'), JSON.stringify(inside)]
  const [command, ...args] = inNewNamespace(commandLine)
  const env = { HOME: plane.stateDirectory, PATH: TOOLS_PATH }
  const program = await plane.supervise({ name: 'traffic', command, args, env })
  const died = new AbortController()
  void program.exited.then((exit) => died.abort(new Error(describeExit('traffic', exit))))

  const agent = new Agent({ connect: { socketPath: inside.orders }, bodyTimeout: 0, headersTimeout: 0 })
  async function order<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const options = { dispatcher: agent, method, body: body === undefined ? null : JSON.stringify(body) }
    const answer = await request(`http://inside${path}`, { ...options, signal: died.signal })
    if (answer.statusCode !== 200) throw new Error(await answer.body.text())
    return (await answer.body.json()) as T
  }
  const listen = (path: string, port: number) => order('POST', '/relays', { path, port } satisfies RelayOrder)
  const ports = portsInside(folder, listen)
  const stop = async () => {
    await program.stop()
    await agent.close()
    outside.close()
    ports.close()
  }
  try {
    await eventually('kube-proxy to be ready', DEADLINE_MS, () => order('GET', '/ready'), { signal: died.signal })
  } catch (error) {
    await stop()
    throw error
  }
  return {
    async requests(count, asked, path = '/') {
      const { host, port, podPorts } = await whereIs(plane, asked)
      await order('POST', '/ports', podPorts)
      return order('POST', '/requests', { count, host, port, path } satisfies Burst)
    },
    async listen(...podPorts) {
      await order('POST', '/ports', podPorts)
    },
    async synced() {
      await eventually('kube-proxy to apply all changes', DEADLINE_MS, () => order('GET', '/synced'))
    },
    async behave(behaviors) {
      await order('POST', '/behaviors', behaviors)
    },
    namespace: { commandIn: (command) => inNamespaceOf(program.pid, command), reach: ports.reach },
    stop,
  }
}

/** The configuration of kube-proxy, as on node-1. */
async function kubeProxyConfig(plane: ControlPlane): Promise<object> {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    hostnameOverride: 'node-1',
    clusterCIDR: POD_RANGE,
    clientConnection: { kubeconfig: await plane.kubeconfigAs('system:kube-proxy') },
    healthzBindAddress: `127.0.0.1:${HEALTH_PORT}`,
    metricsBindAddress: `127.0.0.1:${METRICS_PORT}`,
    conntrack: { maxPerCore: 0, min: 0 }, // not set, because they are limits of the whole machine
  }
}

/** The address and the port of the Service, and the present ports of its pods. */
async function whereIs({ api }: ControlPlane, { namespace, service }: ServiceName) {
  const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`
  const [{ spec }, found] = await Promise.all([
    api.get<Service>(`/api/v1/namespaces/${namespace}/services/${service}`),
    api.list<EndpointSlice>(`${slices}?labelSelector=kubernetes.io/service-name=${service}`),
  ])
  const port = spec.ports[0]?.port
  if (spec.clusterIP === 'None' || port === undefined)
    throw new Error(`Service ${service} has no address for requests: clusterIP ${spec.clusterIP}`)
  const podPorts = found.flatMap(({ ports }) => (ports ?? []).flatMap(({ port }) => port ?? []))
  return { host: spec.clusterIP, port, podPorts: [...new Set(podPorts)] }
}
