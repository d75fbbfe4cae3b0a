import { MAX_PODS } from '../../common/analysis/run/arms.ts'
import type { ArmPodView, ArmPodViews } from '../../common/analysis/run/poll.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { AnalysisArms, ArmSelector } from '../../common/assess/analysis.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { wholeItems } from '../../common/kube/reads/object.ts'
import type { Timers } from '../../common/program/clock.ts'
import { TtlCache } from '../../common/program/ttl-cache.ts'
import { controllerOf, isBeingDeleted } from '../../common/workload/identity.ts'

/** How long analyses that compare the same pods share one list of them. */
const KEPT_MS = 10_000
const DEADLINE_MS = 10_000
/** Some of them may be on their way out. */
const LISTED = 100
/** Evicted pods stay for long and may be many. They would take the places of pods that serve. */
const HAVE_NOT_ENDED = 'status.phase!=Failed,status.phase!=Succeeded'

/** Reads the pods that analyses compare. They are not watched, because only the end of a window needs them. */
export class ArmPodsReader {
  readonly #client: Pick<KubeClient, 'request'>
  readonly #recent: TtlCache<readonly ArmPodView[]>

  constructor(client: Pick<KubeClient, 'request'>, timers: Pick<Timers, 'now'>) {
    this.#client = client
    this.#recent = new TtlCache(timers, KEPT_MS)
  }

  /** The pods of all arms as they are now, or were a moment ago. @throws KubeError, also if one is too large */
  async of({ namespace, treatment, control, source, isSourceOther }: AnalysisArms): Promise<ArmPodViews> {
    const ofSource = (arm: ArmSelector) => this.#list(namespace, arm.selector, isOfSource)
    const ofCopy = (arm: ArmSelector) => this.#list(namespace, arm.selector, isOfCopy(arm.workload))
    const [own, others, third] = await Promise.all([
      ofCopy(treatment),
      source ? ofCopy(control) : ofSource(control),
      source && !isSourceOther ? ofSource(source) : [],
    ])
    return { treatment: own, control: others, ...(source ? { source: third } : {}) }
  }

  #list(namespace: string, labelSelector: string, isOfArm: IsOfArm): Promise<readonly ArmPodView[]> {
    return this.#recent.of(`${namespace}/${labelSelector}`, async () => {
      const path = resourcePath(RESOURCES.Pod, { namespace })
      const query = { labelSelector, fieldSelector: HAVE_NOT_ENDED, limit: LISTED }
      const found = await this.#client.request({ verb: 'list', path, query, deadlineMs: DEADLINE_MS })
      return { value: armPodViews(wholeItems(found), isOfArm), isLasting: true }
    })
  }
}

/**
 * Whether a pod belongs to the workload of an arm, by its controller: many users may create pods with our labels, or
 * label those of another workload, and tools copy pods with their labels.
 */
type IsOfArm = (pod: KubeObject) => boolean

/** A fork or a twin controls its pods itself, as a StatefulSet, or by a ReplicaSet: its own name with a hash. */
const isOfCopy =
  (workload: string): IsOfArm =>
  (pod) => {
    const { kind, name = '' } = controllerOf(pod) ?? {}
    return kind === 'StatefulSet'
      ? name === workload
      : kind === 'ReplicaSet' && name.slice(0, name.lastIndexOf('-')) === workload
  }

/** Of a source only the kind is compared, because it may have adopted a ReplicaSet with another name. */
const isOfSource: IsOfArm = (pod) => ['ReplicaSet', 'StatefulSet'].includes(controllerOf(pod)?.kind ?? '')

/** The pods in a list, as an analysis uses them, without those that are being deleted: they serve no more. */
const armPodViews = (items: readonly unknown[], isOfArm: IsOfArm): readonly ArmPodView[] =>
  items
    .filter((item): item is KubeObject => isObject(item) && isObject(item.metadata))
    .filter((pod) => !isBeingDeleted(pod) && isOfArm(pod))
    .map(seenPod)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MAX_PODS)

function seenPod({ metadata, spec, status }: KubeObject): ArmPodView {
  const ready = listOr(at(status, 'conditions')).find((condition) => at(condition, 'type') === 'Ready')
  const readySinceMs = at(ready, 'status') === 'True' ? Date.parse(String(at(ready, 'lastTransitionTime'))) : Number.NaN
  const lasting = [...listOr(at(status, 'containerStatuses')), ...sidecarStatuses(spec, status)]
  const restarts = lasting.map((container) => Number(at(container, 'restartCount') ?? 0))
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    createdMs: Date.parse(metadata.creationTimestamp ?? ''),
    ...(Number.isNaN(readySinceMs) ? {} : { readySinceMs }),
    restarts: restarts.reduce((sum, count) => sum + count, 0),
  }
}

/**
 * Init containers that restart go on beside the others. The rest end before the pod serves, and one that is tried again
 * there says nothing about how it serves.
 */
function sidecarStatuses(spec: unknown, status: unknown): readonly unknown[] {
  const sidecars = listOr(at(spec, 'initContainers')).filter((each) => at(each, 'restartPolicy') === 'Always')
  const names = new Set(sidecars.map((each) => at(each, 'name')))
  return listOr(at(status, 'initContainerStatuses')).filter((each) => names.has(at(each, 'name')))
}
