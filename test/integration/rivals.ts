/** Several controllers that compete for the Lease, and what the audit log tells about them. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { at, textOr } from '../../common/json/json.ts'
import { type AuditEvent, auditEvents } from '../../sandbox/audit.ts'
import { bundled } from '../../sandbox/bundles.ts'
import { compiledBefore } from '../../sandbox/compiled-before.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { freePorts } from '../../sandbox/ports.ts'
import type { SupervisedProcess } from '../../sandbox/processes.ts'
import { controlPlane } from './fixture.ts'
import { DEADLINE_MS, type Place } from './product.ts'

const ROOT = join(import.meta.dirname, '../..')
const ACCOUNT = { namespace: SYSTEM_NAMESPACE, name: 'experiment-controller' }
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** A start makes many objects that live on for a while. With less space they are copied again and again. */
const YOUNG_SPACE = '--min-semi-space-size=16'

/** Many start at once, and each question takes some milliseconds of a processor from them. */
const RARELY = { pauseMs: 250 }

/** A controller with its own token, by which the audit log knows its requests. */
export interface Rival {
  readonly name: string
  readonly process: SupervisedProcess
  /** the `credential-id` of its token in the audit log */
  readonly credential: string
  /** the value of one of its metrics, by its name without prefix */
  readonly metric: (name: string) => Promise<number>
  /** what `/livez` answers */
  readonly livez: () => Promise<Probed>
  /** what `/readyz` answers */
  readonly readyz: () => Promise<Probed>
}

/** The answer to a probe. */
interface Probed {
  readonly code: number
  readonly text: string
}

interface RivalOptions {
  /** writes a kubeconfig for a token; default: directly for the API server */
  readonly kubeconfigFor?: (who: { readonly user: string; readonly token: string }) => Promise<string>
  readonly env?: Readonly<Record<string, string>>
  /** called with the process before it is ready */
  readonly onStarted?: (process: SupervisedProcess) => void
}

/** Starts a controller. Resolves when it is ready, as leader or as standby. @throws Error at once if it ends before */
export async function startRival(name: string, { onStarted, ...options }: RivalOptions = {}): Promise<Rival> {
  const rival = await launchRival(name, options)
  onStarted?.(rival.process)
  const ended = new AbortController()
  void rival.process.exited.then(() => ended.abort(new Error(`${name} ended before it was ready`)))
  const isReady = async () => textOf(await rival.readyz())
  await eventually(`${name} to be ready`, DEADLINE_MS, isReady, { ...RARELY, signal: ended.signal })
  return rival
}

/** The text of an answer that says yes. @throws Error with the text of another one */
function textOf({ code, text }: Probed): string {
  if (code !== 200) throw new Error(text)
  return text
}

/** Starts a controller. Resolves when its process runs; it may never be ready. */
export async function launchRival(
  name: string,
  { kubeconfigFor, env }: Omit<RivalOptions, 'onStarted'> = {},
): Promise<Rival> {
  const plane = await controlPlane()
  const path = `/api/v1/namespaces/${ACCOUNT.namespace}/serviceaccounts/${ACCOUNT.name}/token`
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7_200 } }
  const token = textOr(at(await plane.api.create(path, body), 'status', 'token'), '')
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const [port = 0] = await freePorts(1)
  const process_ = await plane.supervise({
    name,
    command: process.execPath,
    args: [YOUNG_SPACE, await bundled(plane, 'controller')],
    env: {
      KUBECONFIG: await (kubeconfigFor ?? plane.kubeconfigFor)({ user: name, token }),
      HOSTNAME: name,
      HOST: '127.0.0.1',
      PROBE_PORT: `${port}`,
      NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE,
      ...compiledBefore(plane.stateDirectory),
      ...env,
    },
    cwd: ROOT,
  })
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    return { code: answer.status, text: await answer.text() }
  }
  const metric = async (name: string) =>
    Number(new RegExp(`^experiment_controller_${name} (\\S+)$`, 'm').exec(textOf(await ask('/metrics')))?.[1])
  const [livez, readyz] = [() => ask('/livez'), () => ask('/readyz')]
  return { name, process: process_, credential: `JTI=${claims.jti}`, metric, livez, readyz }
}

/** Waits until `rival` leads. */
export const leads = (rival: Rival): Promise<void> =>
  eventually(
    `${rival.name} to lead`,
    DEADLINE_MS,
    async () => {
      if ((await rival.metric('leader')) !== 1) throw new Error('it does not')
    },
    RARELY,
  )

/** A request of a rival. Times are those of the API server, in milliseconds. */
interface Sent {
  readonly by: string
  readonly what: string
  readonly receivedMs: number
  readonly answeredMs: number
}

/** From when to when the Lease named a rival. It ends with the write that names somebody else. */
interface Term {
  readonly holder: string
  readonly fromMs: number
  lastRenewalMs: number
  toMs: number
}

/** What happened since a time, according to the audit log. */
export interface Chronicle {
  /** all writes but those of the Lease, in the order of their arrival */
  readonly writes: readonly Sent[]
  readonly terms: readonly Term[]
}

/** Reads the audit log, or the events that were read already. The rivals may have ended. */
export async function chronicle(
  rivals: readonly Rival[],
  since: Date,
  leaseNamespace = ACCOUNT.namespace,
  read?: readonly AuditEvent[],
): Promise<Chronicle> {
  const { auditLog } = await controlPlane()
  const writes: Sent[] = []
  const leases: AuditEvent[] = []
  for await (const event of read ?? auditEvents(auditLog, ACCOUNT.name)) {
    const { verb, objectRef, user, responseStatus } = event
    if (!WRITES.has(verb) || Date.parse(event.requestReceivedTimestamp) < since.getTime()) continue
    if (objectRef?.resource === 'leases' && objectRef.namespace === leaseNamespace) {
      if ((responseStatus?.code ?? 500) < 300) leases.push(event)
      continue
    }
    const [credential] = user.extra?.['authentication.kubernetes.io/credential-id'] ?? []
    const by = rivals.find((rival) => rival.credential === credential)?.name
    const what = `${verb} ${objectRef?.resource}/${objectRef?.subresource ?? objectRef?.name}`
    const [receivedMs, answeredMs] = [Date.parse(event.requestReceivedTimestamp), Date.parse(event.stageTimestamp)]
    if (by) writes.push({ by, what, receivedMs, answeredMs })
  }
  return { writes: writes.toSorted((a, b) => a.receivedMs - b.receivedMs), terms: termsOf(leases) }
}

function termsOf(leases: readonly AuditEvent[]): readonly Term[] {
  const terms: Term[] = []
  const version = ({ responseObject }: AuditEvent) => Number(responseObject?.metadata?.resourceVersion ?? 0)
  const time = ({ stageTimestamp }: AuditEvent) => Date.parse(stageTimestamp)
  // a deletion is answered with the Lease as it was, or with a Status: it goes by its time
  const inOrder = leases.toSorted((a, b) => version(a) - version(b) || time(a) - time(b))
  for (const event of inOrder.toSorted((a, b) => (isDeletion(a) || isDeletion(b) ? time(a) - time(b) : 0))) {
    const identity = isDeletion(event) ? '' : textOr(at(event.responseObject, 'spec', 'holderIdentity'), '')
    const holder = identity.replace(/_.*/, '')
    const last = terms.at(-1)
    const receivedMs = Date.parse(event.requestReceivedTimestamp)
    if (last?.holder === holder) Object.assign(last, { lastRenewalMs: receivedMs })
    else {
      if (last) last.toMs = time(event)
      terms.push({ holder, fromMs: receivedMs, lastRenewalMs: receivedMs, toMs: Number.POSITIVE_INFINITY })
    }
  }
  return terms
}

const isDeletion = ({ verb }: AuditEvent): boolean => verb === 'delete'

/** The writes of rivals that the Lease did not name at that time. */
export const usurped = ({ writes, terms }: Chronicle): readonly Sent[] =>
  writes.filter(
    ({ by, receivedMs }) =>
      !terms.some(({ holder, fromMs, toMs }) => holder === by && fromMs <= receivedMs && receivedMs <= toMs),
  )

/**
 * Scales the experiments of `place` up and down, one after the other with a pause, until `end` is called: so the leader
 * always writes.
 */
export function churn(place: Place, names: readonly string[], pauseMs = 100): { readonly end: () => Promise<void> } {
  let isOver = false
  const go = async (): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const name = names[count % names.length] ?? ''
      const replicas = Math.floor(count / names.length) % 2
      await place.api.patch(place.path('experiments', name), { spec: { replicas } })
      await pause(pauseMs)
    }
  }
  const going = go()
  return {
    end: () => {
      isOver = true
      return going
    },
  }
}
