import { warning } from '../api/conditions.ts'
import { beyondSelector } from '../api/limits.ts'
import type { KubeObject, UnreadView } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { Warning } from '../api/types.ts'
import { at, isObject, listOr } from '../json/json.ts'
import { sizeOf } from '../scaling/size.ts'
import { optionalClause, type Part } from '../text/fitted.ts'
import { shortenedList } from '../text/list.ts'
import { shortNameOf } from '../text/short-name.ts'
import { controllerOf } from '../workload/identity.ts'
import { WORKLOAD_KINDS, workloadKind } from '../workload/registry.ts'
import { replicasOf } from '../workload/status.ts'
import { fixedAddresses } from './addresses.ts'
import { type ForkAndSource, selectsPods, type TrafficInput } from './pod-labels.ts'
import { concernsSource, maySelect, maySelectLater } from './shares.ts'
import type { ServiceView } from './traffic.ts'
import { newClaims, sharedVolumes } from './volumes.ts'

interface HazardInput {
  readonly pair: ForkAndSource
  readonly pods: TrafficInput
  /** the Services of the namespace; undefined if they could not be read */
  readonly services: readonly ServiceView[] | undefined
  /** those that are too large to be read */
  readonly unread?: readonly UnreadView[] | undefined
  /** name of the workload that serves in place of the source, if Flagger created one */
  readonly primary: string | undefined
  /** `rollout/cart`: a workload that takes its template from the source */
  readonly referrer: string | undefined
}

type Detector = (input: HazardInput) => string | readonly Part[] | undefined

/** In the order of the warnings. */
const DETECTORS: readonly (readonly [Reason, Detector])[] = [
  ['SourceIsManaged', managed],
  ['Paused', paused],
  ['LeaderElection', leaderElection],
  ['QueueWorker', queueWorker],
  ['Migration', migration],
  ['SharedClaim', ({ pair }) => sharedVolumes(pair)],
  ['HostPort', hostPort],
  ['FixedAddress', ({ pair }) => fixedAddresses(pair)],
  ['Singleton', singleton],
  ['PeerDiscovery', peerDiscovery],
  ['EmptyVolumes', ({ pair }) => newClaims(pair.fork)],
]

/** What may go wrong because the workload runs a second time, one warning per reason. Hazards do not block the fork. */
export const hazards = (input: HazardInput): readonly Warning[] =>
  DETECTORS.flatMap(([reason, detect]) => {
    const found = detect(input)
    return found === undefined ? [] : [warning(reason, ...(typeof found === 'string' ? [found] : found))]
  })

const PRIMARY = '-primary'

/** The name of the workload that Flagger creates when it scales `source` to zero; undefined if it has replicas. */
export const primaryOf = (source: KubeObject): string | undefined =>
  replicasOf(source) === 0 ? `${source.metadata.name}${PRIMARY}` : undefined

/** The name of the source in whose place the workload `name` may serve; undefined if it cannot be a primary. */
export const sourceOfPrimary = (name: string): string | undefined =>
  name.endsWith(PRIMARY) ? name.slice(0, -PRIMARY.length) : undefined

function managed({ pair: { source }, primary, referrer }: HazardInput): ReturnType<Detector> {
  if (!source) return undefined
  const kind = source.kind.toLowerCase()
  if (primary !== undefined)
    return [
      `${kind}/${primary} serves in place of ${kind}/${source.metadata.name}`,
      optionalClause(`: fork ${kind}/${primary} instead`),
    ]
  if (referrer !== undefined)
    return [
      `${referrer} takes its template from ${kind}/${source.metadata.name}`,
      optionalClause(`: fork ${referrer} instead`),
    ]
  const owner = controllerOf(source)
  return (
    owner && [`${owner.kind}/${owner.name} controls the source`, optionalClause(": it may act on the fork's pods too")]
  )
}

/** Only an override can pause a fork: these fields are not inherited. */
function paused({ pair: { fork } }: HazardInput): string | undefined {
  const canary = at(fork, 'spec', 'strategy', 'canary')
  if (at(fork, 'spec', 'paused') === true) return 'paused: changes do not reach the pods until it is resumed'
  if (listOr(at(canary, 'steps')).length > 0) return 'canary steps: each change of the experiment goes through them'
  return isObject(at(canary, 'analysis')) ? 'canary analysis: each change of the experiment waits for it' : undefined
}

/** `--leader-elect`, `LEADER_ELECTION`, `enableLeaderElection`, `--election-id`, `LEASE_NAME`; no `RELEASE_NAME`. */
const ELECTS = /leader[-_]?elect|election[-_]?id|(?<!re)lease[-_]?(?:name|id)/i
const OFF = /^(?:false|0|off|no)$/i

function leaderElection({ pair: { fork } }: HazardInput): string | undefined {
  const isOn = (variable: unknown) =>
    ELECTS.test(String(at(variable, 'name'))) && !OFF.test(String(at(variable, 'value') ?? ''))
  const elects = containersOf(fork, 'containers').some(
    ({ command, args, env }) => [...listOr(command), ...listOr(args)].some(isElecting) || listOr(env).some(isOn),
  )
  return elects ? 'leader election is on: the experiment may become the leader, or stay idle' : undefined
}

/** A flag that is set to false does not count. */
const isElecting = (argument: unknown): boolean => {
  const [flag = '', value = ''] = String(argument).split(/=(.*)/s)
  return ELECTS.test(flag) ? !OFF.test(value) : ELECTS.test(value)
}

function queueWorker({ pair, pods, services, unread }: HazardInput): string | undefined {
  const [source, ofSource] = [pair.source, pods.source]
  if (!services || unread || !source || !ofSource) return undefined
  if (beyondSelector(at(source.spec, 'selector')) !== undefined) return undefined
  const selects = (each: ServiceView) =>
    concernsSource(each, pods) || maySelect(each, pods) || maySelectLater(each, source, ofSource)
  if (services.some(selects)) return undefined
  return 'no Service selects the source: if it reads from a queue, the fork does too'
}

const MIGRATES = /migrat|flyway|liquibase|alembic/i

function migration({ pair: { fork } }: HazardInput): ReturnType<Detector> {
  const names = containersOf(fork, 'initContainers')
    .filter(({ name, image, command, args }) =>
      [name, image, ...listOr(command), ...listOr(args)].some((text) => MIGRATES.test(String(text ?? ''))),
    )
    .map(({ name }) => String(name))
  if (names.length === 0) return undefined
  return [`init container${names.length > 1 ? 's' : ''} `, shortenedList(names, 2), ' may run migrations on live data']
}

function hostPort({ pair: { fork } }: HazardInput): ReturnType<Detector> {
  const isHost = at(podOf(fork), 'hostNetwork') === true
  const ports = containersOf(fork, 'containers')
    .flatMap(({ ports: all }) => listOr(all))
    .map((port) => at(port, 'hostPort') ?? (isHost ? at(port, 'containerPort') : undefined))
    .filter((port) => typeof port === 'number' && port > 0)
    .map(String)
  if (ports.length > 0)
    return [
      `uses port${ports.length > 1 ? 's' : ''} `,
      shortenedList([...new Set(ports)], 2),
      ' of the node: pods may stay Pending',
    ]
  return isHost ? "uses the node's network: pods cannot start on a node where their port is in use" : undefined
}

function singleton({ pair: { source } }: HazardInput): string | undefined {
  if (!source || sizeOf(source).wanted !== 1 || at(source, 'spec', 'strategy', 'type') !== 'Recreate') return undefined
  return 'the source has 1 replica and strategy Recreate: a second instance may be unsafe'
}

/** Peers of every kind look each other up there: also a Deployment with JGroups, Hazelcast or libcluster. */
function peerDiscovery({ pods, services }: HazardInput): ReturnType<Detector> {
  const isJoined = (service: ServiceView) => service.isHeadless && selectsPods(service, pods.fork)
  const names = (services ?? []).filter(isJoined).map(({ name }) => name)
  if (names.length === 0) return undefined
  return [
    "the fork's pods are in the DNS of ",
    shortenedList(names.sort(), 2),
    optionalClause(': peers may accept them as members'),
  ]
}

const podOf = (workload: KubeObject): unknown => at(workload, 'spec', 'template', 'spec')

const containersOf = (workload: KubeObject, list: 'containers' | 'initContainers') =>
  listOr(at(podOf(workload), list)).filter(isObject)

/** The kinds whose workloads may take their template from another workload. */
export const REFERRING_KINDS = Object.values(WORKLOAD_KINDS).filter(({ refersTo }) => refersTo !== undefined)

/** The workload among `others` of the namespace that takes its template from `source`, such as `rollout/cart`. */
export function referrerOf(source: KubeObject, others: readonly KubeObject[]): string | undefined {
  const found = others.find((other) => {
    const target = workloadKind(other.kind)?.refersTo?.(other)
    return target?.resource.kind === source.kind && target.name === source.metadata.name
  })
  return found && shortNameOf(found)
}
