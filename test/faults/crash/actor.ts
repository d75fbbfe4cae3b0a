/** A controller behind a proxy of its own, which sees one run only and can be killed at any of its writes. */
import { ANALYSIS_RUN, EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY } from '../../../common/api/names.ts'
import { Semaphore } from '../../../common/program/semaphore.ts'
import { WORKLOAD_KINDS } from '../../../common/workload/registry.ts'
import { SYSTEM_NAMESPACE } from '../../../sandbox/installation.ts'
import type { Exit } from '../../../sandbox/messages.ts'
import { describeExit, type SupervisedProcess } from '../../../sandbox/processes.ts'
import { controlPlane } from '../../integration/fixture.ts'
import { leads, type Rival, startRival } from '../../integration/rivals.ts'
import type { ApiCall, OpenWatch } from '../api-call.ts'
import { startApiProxy } from '../api-proxy.ts'
import { type Namespaces, policyName } from './oracles.ts'

/**
 * Where a controller is killed: before the API server gets the request, before the reply, or after the reply was sent.
 */
export const POSITIONS = ['not forwarded', 'committed', 'replied'] as const
export type Position = (typeof POSITIONS)[number]

/**
 * A request by what it does and how often the controller did that before: `patch deployments cart-experiment-ID #1`.
 */
export interface CrashPoint {
  readonly request: string
  readonly position: Position
}

export interface ActorOptions extends Namespaces {
  readonly name: string
  /** of the Lease */
  readonly system: string
  /** default: nothing */
  readonly env?: Readonly<Record<string, string>>
  /** default: it is not killed */
  readonly crash?: CrashPoint
  /** what a write of the Lease is called; default: they do not count */
  readonly leaseWrite?: (call: ApiCall) => string
}

/** A running controller. */
export interface Actor {
  readonly name: string
  /** the namespace of its Lease */
  readonly system: string
  readonly env: ActorOptions['env']
  /** its mutating requests since `count`, and when each arrived */
  readonly writes: readonly { readonly request: string; readonly atMs: number }[]
  /** From now on its writes count, and it is killed at its crash point. */
  readonly count: () => void
  /** resolves when it was killed at its crash point */
  readonly crashed: () => Promise<void>
  /**
   * Shows it another run: it looks into other namespaces from now on, and has written nothing yet. What it knows of
   * former namespaces does not change any more. A start would take a second of a processor.
   */
  readonly moveTo: (scope: Namespaces, crash: CrashPoint) => void
  /** resolves when it is ready; rejects if it ends before */
  readonly ready: Promise<Rival>
  readonly leads: () => Promise<void>
  /** how it ended, if nobody has killed or stopped it */
  readonly problems: () => readonly string[]
  /** @throws Error if it had ended by itself, or fails */
  readonly stop: (signal: NodeJS.Signals) => Promise<void>
}

/** A start takes a processor for a second. Too many at once would keep leaders from renewing their Leases. */
const starts = new Semaphore(2)

const OWN_SCOPED = new Set([EXPERIMENT_DEPLOYMENT.plural, ANALYSIS_RUN.plural])
const FORK_SCOPED = new Set([
  ...Object.values(WORKLOAD_KINDS).map(({ plural }) => plural),
  'services',
  'endpointslices',
  'pods',
])

/** The path of a list or watch of all namespaces, for the namespaces of one run. Undefined for other calls. */
export function scopedPath({ own, forks }: Namespaces, { method, resource, namespace, name, path, query }: ApiCall) {
  if (method !== 'GET' || namespace !== '' || name !== '') return undefined
  if (resource === EXPERIMENT_POLICY.plural) {
    const only = new URLSearchParams(query)
    only.set('fieldSelector', `metadata.name=${policyName(own)}`)
    return `${path}?${only}`
  }
  const within = OWN_SCOPED.has(resource) ? own : FORK_SCOPED.has(resource) ? forks : undefined
  return within && `${path.replace(/[^/]+$/, `namespaces/${within}/$&`)}?${query}`
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }

/** What a request does, in the same words in each run. */
function nameOf({ method, resource, subresource, name }: ApiCall, { own }: Namespaces): string {
  const what = [resource, ...(subresource ? [subresource] : [])].join('/')
  const who = name
    .replace(/-experiment-[0-9a-f]{10}$/, '-experiment-ID')
    .replace(/-experiment-[0-9a-f]{10}-.*$/, '-experiment-ID-POD')
    .replace(/\.[0-9a-f]{16}$/, '.TIME') // of an Event
    .replace(own, 'OWN')
  return [VERBS[method] ?? method, what, ...(who ? [who] : [])].join(' ')
}

/** Whether a write is about a run. A controller may still write about runs that it has left. */
const isWithin = ({ own, forks, system }: Namespaces & { readonly system: string }, call: ApiCall): boolean =>
  call.namespace === ''
    ? call.resource !== EXPERIMENT_POLICY.plural || call.name === policyName(own)
    : [own, forks, system].includes(call.namespace)

/** Starts a controller that is scoped to the namespaces of a run. Resolves when its process has started. */
export async function startActor({ name, system, env, leaseWrite, ...first }: ActorOptions): Promise<Actor> {
  const proxy = await startApiProxy(await controlPlane())
  const started = Promise.withResolvers<SupervisedProcess>()
  const writes: { readonly request: string; readonly atMs: number }[] = []
  const watches = new Map<OpenWatch, ApiCall>()
  let { crash, own, forks } = first
  let crashed = Promise.withResolvers<void>()
  const counts = new Map<string, number>()
  let isCounting = false
  let isDead = false
  let target: ApiCall | undefined

  const kill = async () => {
    isDead = true
    await (await started.promise).stop('SIGKILL')
    crashed.resolve()
  }
  const counted = (call: ApiCall): string | undefined => {
    if (!isCounting || !call.isWrite || (call.resource === 'leases' && !leaseWrite)) return undefined
    if (!isWithin({ own, forks, system }, call)) return undefined
    const what = call.resource === 'leases' && leaseWrite ? leaseWrite(call) : nameOf(call, { own, forks })
    const nth = (counts.get(what) ?? 0) + 1
    counts.set(what, nth)
    return `${what} #${nth}`
  }
  proxy.interfere({
    onwardPath: (call) => scopedPath({ own, forks }, call),
    onWatch: (call, watch) => void watches.set(watch, call),
    onCall: async (call) => {
      if (isDead) return 'reset'
      const request = counted(call)
      if (request !== undefined) writes.push({ request, atMs: Date.now() })
      if (request === undefined || request !== crash?.request) return undefined
      target = call
      if (crash.position !== 'not forwarded') return undefined
      await kill()
      return 'reset'
    },
    onAnswer: async (call) => {
      if (!isDead && call === target && crash?.position === 'committed') await kill()
      return isDead ? 'reset' : undefined
    },
    onSent: (call) => {
      if (!isDead && call === target) void kill()
    },
  })
  const start = () =>
    startRival(name, {
      kubeconfigFor: proxy.kubeconfigFor,
      env: { POD_NAMESPACE: system, NODE_V8_COVERAGE: '', ...env },
      onStarted: started.resolve,
    })
  const ready = starts.run(start, undefined)
  ready.catch(started.reject) // those who await it are told, too
  const process_ = await started.promise
  let exit: Exit | undefined
  void process_.exited.then((how) => {
    exit = how
    return proxy.close()
  })
  return {
    name,
    writes,
    count: () => {
      isCounting = true
    },
    system,
    env,
    crashed: () => crashed.promise,
    moveTo: (scope, point) => {
      ;({ own, forks } = scope)
      crash = point
      crashed = Promise.withResolvers()
      target = undefined
      isCounting = false
      writes.length = 0
      counts.clear()
      for (const [watch, call] of watches) if (scopedPath(scope, call) !== undefined) watch.end()
      watches.clear()
    },
    ready,
    leads: async () => leads(await ready),
    problems: () => (exit && !exit.isAsked ? [describeExit(name, exit)] : []),
    stop: async (signal) => {
      await process_.end(signal)
      await ready.catch(() => undefined) // it may have ended before it was ready
    },
  }
}

/** Lets controllers have their Leases in other namespaces than that of the installation, so that many lead at once. */
export async function mayLeadAnywhere(): Promise<void> {
  const { api } = await controlPlane()
  const group = 'rbac.authorization.k8s.io'
  const name = 'crash-leases'
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] }]
  const subjects = [{ kind: 'ServiceAccount', name: 'experiment-controller', namespace: SYSTEM_NAMESPACE }]
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name }
  const of = (kind: string) => ({ apiVersion: `${group}/v1`, kind, metadata: { name } })
  await api.apply(`/apis/${group}/v1/clusterroles/${name}`, { ...of('ClusterRole'), rules })
  await api.apply(`/apis/${group}/v1/clusterrolebindings/${name}`, { ...of('ClusterRoleBinding'), roleRef, subjects })
}
