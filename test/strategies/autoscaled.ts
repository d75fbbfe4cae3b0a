/** Workloads with a load on their pods, and the HPA that scales one of them. */
import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import type { Api } from '../../sandbox/api.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { gatedPods, setGate } from '../integration/gated.ts'
import { DEADLINE_MS } from '../integration/product.ts'
import { spreadLoad } from './pod-metrics.ts'

/** The use at which an HPA aims: percent, and thousandths of a processor or MiB, because a pod requests 100 of them. */
export const TARGET = 50
/** What an HPA looks at. */
type Resource = 'cpu' | 'memory'
/** The value of the label `side` of the pods that an HPA scales. */
const SOURCE = 'source'

/** Functions for workloads in a namespace. Those of an `app` share that label, and have a label `side` each. */
export function autoscaledIn(api: () => Api, namespace: string) {
  /** Creates the Deployment `APP-SIDE` and waits until the containers of its pods are ready. */
  async function workload(app: string, side: string, replicas: number, gates: readonly string[] = []): Promise<void> {
    const labels = { app, side }
    const resources = { requests: { cpu: '100m', memory: '100Mi' } }
    const containers = [{ name: 'app', image: 'registry.example/app:1', resources }]
    const readinessGates = gates.map((conditionType) => ({ conditionType }))
    const template = { metadata: { labels }, spec: { containers, readinessGates } }
    // An HPA counts all pods that the selector of its target matches, with any owner.
    const selector = { matchLabels: side === SOURCE ? { app } : labels }
    await api().create(resourcePath(deployment, { namespace }), {
      metadata: { name: `${app}-${side}` },
      spec: { replicas, selector, template },
    })
    await eventually(`the containers of ${app}-${side} to be ready`, DEADLINE_MS, async () => {
      const pods = await podsOf(app, side)
      expect(pods.filter(({ hasReadyContainers }) => hasReadyContainers)).to.have.length(replicas)
    })
  }

  const podsOf = async (app: string, side: string) =>
    (await gatedPods(api(), namespace, app)).filter(({ name }) => name.startsWith(`${app}-${side}-`))

  /** Opens the pods of the Deployment `APP-SIDE`. */
  const open = async (app: string, side: string): Promise<void> => {
    await Promise.all((await podsOf(app, side)).map((pod) => setGate(api(), namespace, pod, true)))
  }

  /** Creates the HPA `APP`. It scales the source, if nothing else is named, at once in both directions. */
  const autoscaler = (app: string, resource: Resource = 'cpu', scaleTargetRef = sourceOf(app)) =>
    api().create(resourcePath(RESOURCES.HorizontalPodAutoscaler, { namespace }), {
      metadata: { name: app },
      spec: {
        scaleTargetRef,
        minReplicas: 1,
        maxReplicas: 20,
        metrics: [{ type: 'Resource', resource: { name: resource, target } }],
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      },
    })

  const shown = (app: string) =>
    api().get<KubeObject & { readonly status?: unknown }>(
      resourcePath(RESOURCES.HorizontalPodAutoscaler, { namespace, name: app }),
    )

  /** Spreads `load` over the ready pods until the HPA says by `reason` whether it scales. Returns its message. */
  const says = (app: string, load: number, reason: string): Promise<string> =>
    eventually(`hpa/${app} to say ${reason}`, DEADLINE_MS, async () => {
      await spreadLoad({ api: api(), namespace, app }, load)
      const condition = listOr(at(await shown(app), 'status', 'conditions')).find(
        (each) => at(each, 'type') === 'ScalingActive',
      )
      expect(at(condition, 'reason')).to.equal(reason)
      return String(at(condition, 'message'))
    })

  /**
   * Spreads `load` over the ready pods until the HPA has computed with what was written last, and wants as many pods
   * as the source has. Returns how many these are.
   */
  const settles = (app: string, load: number, resource: Resource = 'cpu'): Promise<number> =>
    eventually(`hpa/${app} to settle under ${load}`, DEADLINE_MS, async () => {
      const { perPod, ready, pods: all } = await spreadLoad({ api: api(), namespace, app }, load)
      const pods = ready.filter(({ metadata }) => metadata.labels?.side === SOURCE).length
      const found = await shown(app)
      const [metric] = listOr(at(found, 'status', 'currentMetrics'))
      const use = at(metric, 'resource', 'current', 'averageUtilization')
      const told = { use, wanted: at(found, 'status', 'desiredReplicas') }
      // It tells the average over the pods that are ready by CPU, and over all of them by memory.
      const average = resource === 'cpu' ? perPod : Math.floor((perPod * ready.length) / all)
      expect(told).to.deep.equal({ use: average, wanted: pods })
      return pods
    })

  return { workload, open, autoscaler, says, settles }
}

const sourceOf = (app: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name: `${app}-${SOURCE}` })

const target = { type: 'Utilization', averageUtilization: TARGET }
