/** Workloads whose pods have the gate of this project, and what a controller does with them. */
import { GATE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import type { GatedPod } from '../../common/strategy/gate.ts'
import type { Api } from '../../sandbox/api.ts'

export interface TemplateOf {
  readonly annotations?: Readonly<Record<string, string>>
  /** the readiness gates of the pods; the gate of this project by default */
  readonly gates?: readonly string[]
}

/** A pod template with the label `app` and an image of this tag. */
export const gatedTemplate = (app: string, tag: string, { annotations = {}, gates = [GATE] }: TemplateOf = {}) => ({
  metadata: { labels: { app }, annotations },
  spec: {
    containers: [{ name: 'app', image: `registry.example/app:${tag}` }],
    readinessGates: gates.map((conditionType) => ({ conditionType })),
  },
})

/** A workload `name` of four pods with the label `app=NAME`. */
export const gatedWorkload = (kind: GatedKind, name: string, of?: TemplateOf) => ({
  apiVersion: kind === 'Rollout' ? 'argoproj.io/v1alpha1' : 'apps/v1',
  kind,
  metadata: { name },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: name } },
    template: gatedTemplate(name, '1', of),
    ...OF_KIND[kind],
  },
})

export type GatedKind = 'Deployment' | 'StatefulSet' | 'Rollout'

const OF_KIND = {
  Deployment: {},
  StatefulSet: { podManagementPolicy: 'Parallel' },
  Rollout: { strategy: { canary: {} } },
} as const

/** Opens or shuts a pod as the controller does: by server-side apply to its status, with its uid. */
export const setGate = <T = KubeObject>(
  api: Api,
  namespace: string,
  { name, uid }: Pick<GatedPod, 'name' | 'uid'>,
  isOpen: boolean,
) =>
  api.apply<T>(
    `/api/v1/namespaces/${namespace}/pods/${name}/status`,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, uid },
      status: {
        conditions: [{ type: GATE, status: isOpen ? 'True' : 'False', lastTransitionTime: new Date().toISOString() }],
      },
    },
    'gate',
  )

/** The pods with the label `app`. Their revision is their image. */
export async function gatedPods(api: Api, namespace: string, app: string): Promise<readonly GatedPod[]> {
  const pods = await api.list(`/api/v1/namespaces/${namespace}/pods?labelSelector=app=${app}`)
  return pods.map(gatedPod)
}

function gatedPod(pod: KubeObject): GatedPod {
  const { name, uid = '', deletionTimestamp } = pod.metadata
  const isTrue = (type: string): boolean =>
    listOr(at(pod, 'status', 'conditions')).some(
      (found) => isObject(found) && found.type === type && found.status === 'True',
    )
  const [container] = listOr(at(pod, 'spec', 'containers'))
  return {
    name,
    uid,
    revision: String(at(container, 'image')),
    hasReadyContainers: isTrue('ContainersReady'),
    isOpen: isTrue(GATE),
    isReady: isTrue('Ready'),
    isBeingDeleted: deletionTimestamp !== undefined,
  }
}
