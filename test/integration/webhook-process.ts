/** The webhook as separate processes, which the real API server calls for the resources of one namespace. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Issued, issue } from '../../certs/issue.ts'
import { bundled } from '../../sandbox/bundles.ts'
import { compiledBefore } from '../../sandbox/compiled-before.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { freePorts } from '../../sandbox/ports.ts'
import type { SupervisedProcess } from '../../sandbox/processes.ts'

/** One replica. */
export interface Replica {
  readonly port: number
  readonly process: SupervisedProcess
  /** The result of the readiness checks. @throws Error with it while the replica is not ready */
  readonly readyz: () => Promise<string>
  /** the metrics */
  readonly metrics: () => Promise<string>
}

/** A directory with the key pair that all replicas use. */
export interface Secret {
  readonly env: Readonly<Record<string, string>>
  readonly pair: Issued
  readonly write: (pair: Issued) => void
  readonly remove: () => void
}

/** Creates a directory with a key pair for this machine. */
export async function aSecret(): Promise<Secret> {
  const directory = mkdtempSync(join(tmpdir(), 'webhook-secret-'))
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')]
  const write = ({ cert, key }: Issued) => {
    writeFileSync(keyFile, key)
    writeFileSync(certFile, cert)
  }
  const pair = await issue({ names: ['127.0.0.1'], clock: () => new Date() })
  write(pair)
  const env = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }
  return { env, pair, write, remove: () => rmSync(directory, { recursive: true, force: true }) }
}

interface ReplicaOptions {
  /** how long it keeps serving after SIGTERM; the test may notice with a delay that it stops */
  readonly drainSeconds?: number
}

/** Starts a replica and waits until it is ready. */
export async function aReplica(
  plane: ControlPlane,
  { env }: Secret,
  { drainSeconds = 1 }: ReplicaOptions = {},
): Promise<Replica> {
  const [port = 0, healthPort = 0] = await freePorts(2)
  const process_ = await plane.supervise({
    name: `webhook-${port}`,
    command: process.execPath,
    args: [await bundled(plane, 'webhook')],
    env: {
      KUBECONFIG: plane.kubeconfig,
      HOST: '127.0.0.1',
      PORT: `${port}`,
      HEALTH_PORT: `${healthPort}`,
      DRAIN_SECONDS: `${drainSeconds}`,
      NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE,
      ...compiledBefore(plane.stateDirectory),
      ...env,
    },
  })
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${healthPort}${path}`, { headers: { connection: 'close' } })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text.trim())
    return text
  }
  const readyz = () => ask('/readyz')
  await eventually(`webhook-${port} to be ready`, 30_000, readyz)
  return { port, process: process_, readyz, metrics: () => ask('/metrics') }
}

/**
 * One address for several replicas, like a Service: new connections go in turn to the replicas that were ready at the
 * last check. Open connections stay at their replica.
 */
export async function aService() {
  const replicas = new Map<Replica, boolean>() // the value says whether it is ready
  let turn = 0
  const look = async () => {
    for (const replica of replicas.keys())
      replicas.set(
        replica,
        await replica.readyz().then(
          () => true,
          () => false,
        ),
      )
  }
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, 100)
  const server = createServer((near) => {
    const ready = [...replicas].filter(([, isReady]) => isReady)
    const [replica] = ready[turn++ % ready.length] ?? []
    const far = connect(replica?.port ?? 1, '127.0.0.1')
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy()).on('close', () => near.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    add: (replica: Replica) => void replicas.set(replica, true),
    remove: (replica: Replica) => void replicas.delete(replica),
    async close() {
      clearInterval(timer)
      await looking
      server.close()
    },
  }
}
