import type { KubeObject } from '../api/object.ts'
import { at, isObject } from '../json/json.ts'
import type { ViewPod } from './experiment-view.ts'
import { countAt, itemsAt, textAt, textIn, timeAt } from './members.ts'
import { type Text, text } from './text.ts'

/** The most containers of a pod that are looked at, and the most pods. */
const MAX_CONTAINERS = 100
const MAX_PODS = 100

/** Why a container does not run, or is not ready. */
interface ContainerProblem {
  /** `cart: ImagePullBackOff, 0 restarts` */
  readonly text: Text
  /** the larger, the worse */
  readonly weight: number
}

/** What a pod says while it starts as it should. */
const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

/** The pods of a fork, by name, at most 100. */
export const viewPods = (pods: readonly KubeObject[]): readonly ViewPod[] =>
  pods
    .slice(0, MAX_PODS)
    .map(viewPod)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))

function viewPod(pod: KubeObject): ViewPod {
  const node = textAt(pod, 'spec', 'nodeName')
  const problem = whyUnscheduled(pod) ?? worstOf(pod)?.text ?? textAt(pod, 'status', 'reason')
  return {
    name: textIn(pod, 'metadata', 'name'),
    ...(node === undefined ? {} : { node }),
    phase: at(pod, 'metadata', 'deletionTimestamp') === undefined ? textIn(pod, 'status', 'phase') : 'Terminating',
    isReady: isReadyPod(pod),
    restarts: containersOf(pod).reduce<number>((sum, { status }) => sum + (countAt(status, 'restartCount') ?? 0), 0),
    ...(problem === undefined ? {} : { problem }),
    createdAt: timeAt(pod, 'metadata', 'creationTimestamp') ?? '',
  }
}

/** Whether a pod is ready: then nothing has to be found out about it. */
export const isReadyPod = (pod: KubeObject): boolean => hasCondition(pod, 'Ready', 'True')

/** Whether the containers of a pod are ready. Those of a gated fork wait without requests until they are opened. */
export const hasReadyContainers = (pod: KubeObject): boolean => hasCondition(pod, 'ContainersReady', 'True')

const podCondition = (pod: KubeObject, type: string): unknown =>
  itemsAt(pod, MAX_CONTAINERS, 'status', 'conditions').find((each) => at(each, 'type') === type)

const hasCondition = (pod: KubeObject, type: string, status: 'True' | 'False'): boolean =>
  at(podCondition(pod, type), 'status') === status

/** Why no node was found for a pod; undefined: one was, or nobody has looked yet. */
export const whyUnscheduled = (pod: KubeObject): Text | undefined =>
  hasCondition(pod, 'PodScheduled', 'False') ? textAt(podCondition(pod, 'PodScheduled'), 'message') : undefined

const containersOf = (pod: KubeObject): readonly { readonly status: unknown; readonly isInit: boolean }[] => [
  ...itemsAt(pod, MAX_CONTAINERS, 'status', 'initContainerStatuses').map((status) => ({ status, isInit: true })),
  ...itemsAt(pod, MAX_CONTAINERS, 'status', 'containerStatuses').map((status) => ({ status, isInit: false })),
]

/** The container of `pod` for which it is not ready; undefined for a pod whose containers all are. */
export const worstOf = (pod: KubeObject): ContainerProblem | undefined =>
  containersOf(pod)
    .flatMap(({ status, isInit }) => problemOf(status, isInit) ?? [])
    .toSorted((a, b) => b.weight - a.weight)[0]

/** An init container that has ended well, or still runs, is no problem. */
function problemOf(status: unknown, isInit: boolean): ContainerProblem | undefined {
  const [waiting, ended] = [at(status, 'state', 'waiting'), at(status, 'state', 'terminated')]
  const restarts = countAt(status, 'restartCount') ?? 0
  const problem = (what: string, weight: number): ContainerProblem => ({
    text: text(`${textIn(status, 'name')}: ${what}, ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`),
    weight,
  })
  if (isObject(waiting)) {
    const reason = textAt(waiting, 'reason') ?? 'waiting'
    return problem(`${reason}${formerEnd(status)}`, STARTING.has(reason) ? 1 : 4)
  }
  if (isObject(ended)) {
    const code = countAt(ended, 'exitCode')
    return code === 0 && isInit ? undefined : problem(endText(ended), 3)
  }
  return isInit || at(status, 'ready') === true ? undefined : problem(`not ready${formerEnd(status)}`, 2)
}

/** `OOMKilled with exit code 137` */
function endText(ended: unknown): string {
  const [reason, code] = [textAt(ended, 'reason') ?? 'ended', countAt(ended, 'exitCode')]
  return code === undefined ? reason : `${reason} with exit code ${code}`
}

/** How a container ended before it was started again. */
function formerEnd(status: unknown): string {
  const ended = at(status, 'lastState', 'terminated')
  return isObject(ended) ? ` (before: ${endText(ended)})` : ''
}
