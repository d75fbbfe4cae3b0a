import { at, isObject, type KubeObject, listOr } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { Warning } from '../api/types.ts'
import { concernsSource, type ServiceView } from './services.ts'
import { lacks, type Pair, type Sides, sourcePod } from './sides.ts'
import { claimNames } from './stateful-set.ts'
import { replicasOf } from './status.ts'
import { listed, warn } from './warning.ts'

/** All that a hazard can be seen from. */
export interface Copy {
  readonly pair: Pair
  readonly sides: Sides
  /** of the namespace; undefined where they could not be read */
  readonly services: readonly ServiceView[] | undefined
  /** name of a workload that serves in the place of the source, if Flagger made one */
  readonly primary: string | undefined
  /** `rollout/cart`: a workload that takes its template from the source */
  readonly referrer: string | undefined
}

type Detector = (copy: Copy) => string | undefined

/** In the order in which they are told. */
const DETECTORS: readonly (readonly [Reason, Detector])[] = [
  ['SourceIsManaged', managed],
  ['LeaderElection', leaderElection],
  ['QueueWorker', queueWorker],
  ['Migration', migration],
  ['SharedClaim', sharedClaim],
  ['HostPort', hostPort],
  ['Singleton', singleton],
  ['PeerDiscovery', peerDiscovery],
  ['EmptyVolumes', emptyVolumes],
]

/** What may go wrong because there is a second copy, each once. None of it holds the fork up. */
export const hazards = (copy: Copy): readonly Warning[] =>
  DETECTORS.flatMap(([reason, detect]) => {
    const message = detect(copy)
    return message === undefined ? [] : [warn(reason, message)]
  })

/** The name that Flagger gives the workload that serves, once it has scaled `source` to zero; undefined for others. */
export const primaryOf = (source: KubeObject): string | undefined =>
  replicasOf(source) === 0 ? `${source.metadata.name}-primary` : undefined

function managed({ pair: { source }, primary, referrer }: Copy): string | undefined {
  if (!source) return undefined
  const kind = source.kind.toLowerCase()
  if (primary !== undefined) return `${kind}/${source.metadata.name} is at 0 beside ${kind}/${primary}: fork that`
  if (referrer !== undefined) return `${referrer} takes its template from ${kind}/${source.metadata.name}: fork that`
  const owner = source.metadata.ownerReferences?.find(({ controller }) => controller === true)
  return owner && `${owner.kind}/${owner.name} controls the source: it may act on look-alike pods`
}

/** `--leader-elect`, `LEADER_ELECTION`, `enableLeaderElection`. */
const ELECTS = /leader[-_]?elect/i
const OFF = /^(?:false|0|off|no)$/i

function leaderElection({ pair: { fork } }: Copy): string | undefined {
  const elects = containersOf(fork, 'containers').some(
    (container) =>
      [...listOr(container.command), ...listOr(container.args)].some(isElecting) ||
      listOr(container.env).some(
        (each) => ELECTS.test(String(at(each, 'name'))) && !OFF.test(String(at(each, 'value') ?? '')),
      ),
  )
  return elects ? 'the experiment may become leader, or idle' : undefined
}

/** A flag that is set to false elects nobody. */
const isElecting = (argument: unknown): boolean => {
  const [flag = '', value = ''] = String(argument).split(/=(.*)/s)
  return ELECTS.test(flag) ? !OFF.test(value) : ELECTS.test(value)
}

function queueWorker({ sides, services }: Copy): string | undefined {
  if (!services || !sides.source || services.some((service) => concernsSource(service, sides))) return undefined
  return 'no Service: if it takes work from a queue, so does the experiment'
}

const MIGRATES = /migrat|flyway|liquibase|alembic/i

function migration({ pair: { fork } }: Copy): string | undefined {
  const names = containersOf(fork, 'initContainers')
    .filter(({ name, image, command, args }) =>
      [name, image, ...listOr(command), ...listOr(args)].some((text) => MIGRATES.test(String(text ?? ''))),
    )
    .map(({ name }) => String(name))
  if (names.length === 0) return undefined
  return `init container${names.length > 1 ? 's' : ''} ${listed(names)} may migrate live data`
}

function sharedClaim({ pair }: Copy): string | undefined {
  const theirs = sourcePod(pair)
  const shared = theirs && claims(theirs.spec)
  const names = claims(podOf(pair.fork)).filter((name) => !shared || shared.includes(name))
  if (names.length === 0) return undefined
  const told = names.length > 1 ? `claims ${listed(names)} are` : `claim ${names[0]} is`
  return `${told} the source's: ReadWriteOnce hangs pods, else they share its data`
}

const claims = (pod: unknown): readonly string[] =>
  listOr(at(pod, 'volumes')).flatMap((volume) => {
    const name = at(volume, 'persistentVolumeClaim', 'claimName')
    return typeof name === 'string' ? [name] : []
  })

function hostPort({ pair: { fork } }: Copy): string | undefined {
  const isHost = at(podOf(fork), 'hostNetwork') === true
  const ports = containersOf(fork, 'containers')
    .flatMap(({ ports: all }) => listOr(all))
    .map((port) => at(port, 'hostPort') ?? (isHost ? at(port, 'containerPort') : undefined))
    .filter((port) => typeof port === 'number' && port > 0)
    .map(String)
  if (ports.length > 0)
    return `port${ports.length > 1 ? 's' : ''} ${listed([...new Set(ports)])} of the node: pods may stay Pending`
  return isHost ? "the node's network: a port that is taken there keeps pods from starting" : undefined
}

function singleton({ pair: { source } }: Copy): string | undefined {
  if (!source || replicasOf(source) !== 1 || at(source, 'spec', 'strategy', 'type') !== 'Recreate') return undefined
  return 'the source runs alone by design: a second copy may be unsafe'
}

function peerDiscovery({ pair: { kind }, sides, services }: Copy): string | undefined {
  if (!kind.reach.hasPeers) return undefined
  const joined = services?.filter(({ isHeadless, selector }) => isHeadless && lacks(selector, sides.fork).length === 0)
  if (!joined || joined.length === 0) return undefined
  const names = joined.map(({ name }) => name).sort()
  return `the experiment joins the DNS of ${listed(names)}: peers may take it in`
}

function emptyVolumes({ pair: { fork } }: Copy): string | undefined {
  const names = claimNames(fork)
  if (names.length === 0) return undefined
  const [start, go] = names.length > 1 ? ['start', 'go'] : ['starts', 'goes']
  return `claim${names.length > 1 ? 's' : ''} ${listed(names)} ${start} empty and ${go} with the experiment`
}

const podOf = (workload: KubeObject): unknown => at(workload, 'spec', 'template', 'spec')

const containersOf = (workload: KubeObject, list: 'containers' | 'initContainers') =>
  listOr(at(podOf(workload), list)).filter(isObject)
