import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeploymentStatus } from '../api/types.ts'
import { at, member, textOr } from '../json/json.ts'
import { printable } from '../text/printable.ts'
import { forkOfPod, lastAppliedMs } from '../workload/identity.ts'
import type { Health, WorkloadKind } from '../workload/kind.ts'
import { replicasOf } from '../workload/status.ts'
import type { CountedPod } from './gated-health.ts'
import { forkHealth, PODS_DUE_MS } from './health.ts'

/** What is kept of a Warning about a pod of a fork. */
export interface PodWarning {
  readonly fork: string
  readonly pod: string
  /** `Failed: Failed to pull image "registry.example/cart:9": not found` */
  readonly text: string
  /** whether it only repeats that an image was not pulled, and not why */
  readonly isEcho: boolean
  /** when it was last repeated, in ms since 1970 */
  readonly atMs: number
}

/** A pod of a fork, as far as the controller watches it. */
export interface WatchedPod extends Pick<CountedPod, 'hasReadyContainers' | 'isBeingDeleted'> {
  readonly name: string
}

/** The most characters that are told of the note of an Event, and of its reason, which the API server limits to 128. */
const MAX_NOTE = 300
const MAX_REASON = 128

/**
 * How a kubelet repeats that it could not pull an image. The first two of these three Warnings come together, and the
 * last one is repeated, so it would nearly always be the newest:
 *
 *     Failed: Failed to pull image "registry.example/cart:9": not found
 *     Failed: Error: ErrImagePull
 *     Failed: Error: ImagePullBackOff
 */
const ECHO = /^Error: (?:ErrImagePull|ImagePullBackOff)/

/** Whether the note of an Event only repeats that an image was not pulled, and not why. */
export const isEcho = (note: string): boolean => ECHO.test(note)

/** How soon a fork is looked at again while nothing tells why its pods are not ready. */
const UNTOLD_RECHECK_MS = 30_000

/** What is kept of an Event; undefined if it is not about a pod of a fork. */
export function podWarning(event: unknown): PodWarning | undefined {
  const pod = textOr(at(event, 'regarding', 'name'), '')
  const fork = forkOfPod(pod)
  if (fork === undefined) return undefined
  const note = onOneLine(textOr(member(event, 'note'), ''), MAX_NOTE)
  const reason = onOneLine(textOr(member(event, 'reason'), ''), MAX_REASON)
  const text = [reason, note].filter((each) => each !== '').join(': ')
  return { fork, pod, text, isEcho: isEcho(note), atMs: lastTimeOf(event) }
}

/** Somebody else's text: anybody may write an Event. */
const onOneLine = (text: string, max: number): string => printable(text.replaceAll(/\s+/g, ' ').trim(), max)

/** When an Event was last repeated, in ms since 1970; 0: it does not say. Older clients write the deprecated field. */
export const lastTimeOf = (event: unknown): number =>
  Date.parse(textOr(at(event, 'series', 'lastObservedTime') ?? member(event, 'deprecatedLastTimestamp'), '')) ||
  Date.parse(textOr(member(event, 'eventTime'), '')) ||
  0

/**
 * Whether `fork` has lacked ready pods for so long that Events may tell why. `pods`: those of a gated fork, whose
 * workload counts shut pods as not ready.
 */
export function mayHaveTrouble(
  kind: WorkloadKind,
  fork: KubeObject,
  { now, pods = [] }: { readonly now: Date; readonly pods?: readonly WatchedPod[] | undefined },
): boolean {
  if (now.getTime() - lastAppliedMs(fork) < PODS_DUE_MS) return false
  const health = forkHealth(kind, fork, now)
  const isWaiting =
    health.is === 'progressing' ? !health.isUnseen : health.is === 'stalled' && health.isOverdue === true
  const present = pods.filter(({ isBeingDeleted }) => !isBeingDeleted)
  const isWhole = present.length >= replicasOf(fork) && present.every(({ hasReadyContainers }) => hasReadyContainers)
  return isWaiting && !(present.length > 0 && isWhole)
}

/** What is known of the pods of a fork besides Events. */
interface SeenPods {
  /** all of them, if they are watched; empty: they are not */
  readonly watched: readonly WatchedPod[]
  /** whether a Service lists the pod as ready */
  readonly isListed: (pod: string) => boolean
}

/**
 * Why pods of `fork` are not ready, as the newest of `warnings` since the last apply says that tells a cause:
 * `pod/NAME: REASON: NOTE`. Of several such pods the first by name, so that looks in a row tell the same.
 */
export function podTroubleIn(
  fork: KubeObject,
  warnings: readonly PodWarning[],
  { watched, isListed }: SeenPods,
): string | undefined {
  const since = lastAppliedMs(fork)
  const unready = new Set(
    watched.filter((pod) => !pod.hasReadyContainers && !pod.isBeingDeleted).map(({ name }) => name),
  )
  const lacks = (pod: string) => (watched.length > 0 ? unready.has(pod) : !isListed(pod))
  const young = warnings.filter(({ atMs, pod }) => atMs >= since && lacks(pod))
  const [first] = young.map(({ pod }) => pod).sort()
  const ofFirst = young.filter(({ pod }) => pod === first).toSorted((a, b) => b.atMs - a.atMs)
  const newest = ofFirst.find(({ isEcho }) => !isEcho) ?? ofFirst[0]
  return newest && `pod/${newest.pod}: ${newest.text}`
}

/** What the last pass told of a fork: its message, and the fork of that time. */
interface Told {
  readonly message: string | undefined
  readonly experimentResourceRef: ExperimentDeploymentStatus['experimentResourceRef'] | undefined
}

/** What this pass knows of the pods, and what the last one told. */
interface PodsAreAs {
  readonly trouble: string | undefined
  readonly told: Told
}

/**
 * `health` with why pods are not ready. While nothing tells it now, what the last pass told stays as long as the pods
 * are as they were: Events expire, and cannot always be read.
 */
export function withPodTrouble(health: Health, fork: KubeObject, of: PodsAreAs): Health {
  if (health.is === 'progressing' && !health.isUnseen) {
    const message = troubledMessage(health.message, fork, of)
    if (message !== health.message) return { ...health, message }
    return { ...health, recheckAfterMs: Math.min(UNTOLD_RECHECK_MS, health.recheckAfterMs ?? UNTOLD_RECHECK_MS) }
  }
  if (health.is === 'stalled' && health.isOverdue)
    return { ...health, message: troubledMessage(health.message, fork, of) }
  return health
}

function troubledMessage(message: string, fork: KubeObject, { trouble, told }: PodsAreAs): string {
  const begin = `${message.replace(/\.$/, '')}; `
  if (trouble !== undefined) return begin + trouble
  const { uid, generation } = told.experimentResourceRef ?? {}
  const isSame = uid === fork.metadata.uid && generation === fork.metadata.generation
  return isSame && told.message?.startsWith(`${begin}pod/`) ? told.message : message
}
