import { setTimeout as pause } from 'node:timers/promises'
import { IS_EXPERIMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { type AuditEvent, auditEvents } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { type Delays, delaysIn } from './audit-delays.ts'
import { type Bench, limitFigure, median, p99 } from './figure.ts'
import { deployments, experiments } from './forks.ts'
import { createCrowd, type Stand, withProduct } from './stand.ts'

const SOURCES = 20
const FORKS_OF_EACH = 10
const FORKS = SOURCES * FORKS_OF_EACH
const CONTROLLER = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`
const ECHO = 'echo'
const DEADLINE_MS = 120_000
const QUIET_MS = 5_000
/** between two changes, so that what is measured is a delay and not a throughput */
const APART_MS = 100
/** from the end of the rollouts of a source and its forks to the change of the next source */
const SOURCES_APART_MS = 1_000
const GOAL_MS = 250
/** Questions take processor time from what is measured. */
const RARELY = { pauseMs: 1_000 }

const SOURCE_GRACE_SECONDS = 8

/** Never 30, because that is the default. */
const graceOf = (seconds: number) => ({ spec: { template: { spec: { terminationGracePeriodSeconds: seconds } } } })

const pathTo = ({ metadata: { namespace = '', name } }: KubeObject) => resourcePath(deployment, { namespace, name })

const placeIn = ({ objectRef }: AuditEvent): string => `${objectRef?.namespace}/${objectRef?.name}`
const isPatch = ({ verb, objectRef }: AuditEvent): boolean =>
  verb === 'patch' && objectRef?.resource === 'deployments' && objectRef.subresource === undefined
const isOf = (event: AuditEvent, controller: boolean): boolean =>
  isPatch(event) && (event.user.username === CONTROLLER) === controller

/** From the change of an object to the next patch of the controller on the same object. */
const REPAIRS: Delays = {
  begins: (event) => (isOf(event, false) && placeIn(event).includes('-experiment-') ? placeIn(event) : undefined),
  ends: (event) => (isOf(event, true) ? { answers: placeIn(event), by: 'the controller' } : undefined),
}

/** From the change of a source to the first patch of the controller on each of its forks. */
const FOLLOWING: Delays = {
  begins: (event) => (isOf(event, false) && event.objectRef?.name === 'cart' ? placeIn(event) : undefined),
  ends: (event) =>
    isOf(event, true) ? { answers: `${event.objectRef?.namespace}/cart`, by: placeIn(event) } : undefined,
}

/** From the bare write to the write of a client that has a watch and does nothing else. */
const ROUND_TRIPS: Delays = {
  begins: (event) => (isPatch(event) && event.objectRef?.namespace === ECHO && isFirst(event) ? ECHO : undefined),
  ends: (event) =>
    isPatch(event) && event.objectRef?.namespace === ECHO && !isFirst(event) ? { answers: ECHO, by: ECHO } : undefined,
}

const isFirst = ({ requestObject }: AuditEvent): boolean => JSON.stringify(requestObject).includes('"said":')

type Tell = (line: string) => void

/** The delays between `since` and now. */
async function delays({ plane }: Stand, of: Delays, since: Date): Promise<readonly number[]> {
  async function* recent() {
    for await (const event of auditEvents(plane.auditLog, '"deployments"'))
      if (Date.parse(event.requestReceivedTimestamp) >= since.getTime()) yield event
  }
  return delaysIn(recent(), of)
}

/** Calls `change` for one item after the other, and resolves to the delays when there are `count`. */
async function answered<T>(stand: Stand, items: readonly T[], by: Answered<T>): Promise<readonly number[]> {
  const since = new Date()
  for (const [index, item] of items.entries()) {
    await by.change(item, index)
    await (by.settled?.(item) ?? pause(APART_MS))
  }
  return eventually(
    `${by.count} answers`,
    DEADLINE_MS,
    async () => {
      const found = await delays(stand, by.delays, since)
      if (found.length < by.count) throw new Error(`${found.length} answers`)
      return found
    },
    RARELY,
  )
}

interface Answered<T> {
  readonly change: (item: T, index: number) => Promise<unknown>
  readonly delays: Delays
  readonly count: number
  /** resolves when the next change may begin; default: after a short time */
  readonly settled?: (item: T) => Promise<unknown>
}

const said = (kind: string, index: number) => ({ metadata: { annotations: { [kind]: `${index}` } } })

/** The delays of a client in this process that answers each change of a Deployment without pods. */
async function roundTrips(stand: Stand): Promise<readonly number[]> {
  const { plane, client } = stand
  await plane.api.create('/api/v1/namespaces', { metadata: { name: ECHO } })
  const [labels, path] = [{ app: ECHO }, `${deployments.path(ECHO)}/${ECHO}`]
  await plane.api.create(deployments.path(ECHO), {
    metadata: { name: ECHO },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: ECHO, image: ECHO }] } },
    },
  })
  const stopping = new AbortController()
  const lines = await client.stream({
    path: deployments.path(ECHO),
    query: { watch: true },
    signal: stopping.signal,
  })
  const echo = async () => {
    let last = ''
    for await (const line of lines) {
      const { said: heard = '' } = (JSON.parse(line).object as KubeObject).metadata.annotations ?? {}
      if (heard === last) continue
      last = heard
      await plane.api.patch(path, said('heard', Number(heard)))
    }
  }
  const echoing = echo().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
  })
  const change = (index: number) => plane.api.patch(path, said('said', index))
  const found = await answered(stand, [...Array(FORKS).keys()], { change, delays: ROUND_TRIPS, count: FORKS })
  stopping.abort(new Error('the echo is no longer needed'))
  await echoing
  return found
}

/** @throws Error unless all Deployments of `namespace` have the last template, and all their pods are new */
async function rolledOut({ plane }: Stand, namespace: string): Promise<void> {
  const found = await plane.api.list<KubeObject>(deployments.path(namespace))
  const isOver = ({ metadata, spec, status }: KubeObject) =>
    at(spec, 'template', 'spec', 'terminationGracePeriodSeconds') === SOURCE_GRACE_SECONDS &&
    at(status, 'observedGeneration') === metadata.generation &&
    ['replicas', 'updatedReplicas', 'availableReplicas'].every((each) => at(status, each) === at(spec, 'replicas'))
  const others = found.filter((each) => !isOver(each))
  if (others.length > 0) throw new Error(`${others.length} of ${found.length} are not over`)
}

const summary = (name: string, found: readonly number[]): string =>
  `${name}: ${found.length} times, median ${median(found)} ms, p99 ${p99(found)} ms, at most ${Math.max(...found)} ms`

async function measure(stand: Stand, tell: Tell) {
  const { plane } = stand
  const places = Array.from({ length: SOURCES }, (_, index) => `drift-${index}`)
  for (const namespace of places) {
    const { watch } = await createCrowd(stand, {
      side: experiments,
      namespace,
      count: FORKS_OF_EACH,
      deadlineMs: DEADLINE_MS,
    })
    watch.stop()
  }
  tell(`${FORKS} forks of ${SOURCES} sources are ready`)
  await pause(QUIET_MS)
  const trips = await roundTrips(stand)
  tell(summary('write, watch, write', trips))
  const forks = await plane.api.list<KubeObject>(`${deployments.path()}?labelSelector=${IS_EXPERIMENT}=true`)
  const repairs = await answered(stand, forks, {
    change: (fork) => plane.api.patch(pathTo(fork), graceOf(7)),
    delays: REPAIRS,
    count: FORKS,
  })
  tell(summary('drift to repair', repairs))
  await pause(QUIET_MS)
  const following = await answered(stand, places, {
    change: (namespace) =>
      plane.api.patch(resourcePath(deployment, { namespace, name: 'cart' }), graceOf(SOURCE_GRACE_SECONDS)),
    delays: FOLLOWING,
    count: FORKS,
    settled: async (namespace) => {
      await eventually(`the rollouts in ${namespace}`, DEADLINE_MS, () => rolledOut(stand, namespace), RARELY)
      await pause(SOURCES_APART_MS)
    },
  })
  tell(summary('source to fork', following))
  return { trips, repairs, following }
}

/** How long a change waits for its answer, beside a client that only writes, watches and writes. */
export const drift: Bench = {
  name: 'drift',
  measures: `drift to repair and source to fork with ${FORKS} forks of ${SOURCES} sources, beside a bare round trip`,
  async run(tell) {
    const { trips, repairs, following } = await withProduct(tell, (stand) => measure(stand, tell))
    const figure = (name: string, found: readonly number[]) =>
      limitFigure({ name, value: p99(found), unit: 'ms', against: p99(trips), atMost: GOAL_MS })
    return [figure('drift to repair, p99', repairs), figure('source to fork, p99', following)]
  },
}
