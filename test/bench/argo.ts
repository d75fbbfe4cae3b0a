import type { KubeObject } from '../../common/api/object.ts'
import { at, objectOr } from '../../common/json/json.ts'
import { startArgoRollouts } from '../../sandbox/argo/argo-rollouts.ts'
import { type Bench, plainFigure } from './figure.ts'
import { deployments, experiments, type Side } from './forks.ts'
import { createCrowd, onPlane, withProduct } from './stand.ts'

const COUNT = 500
const DEADLINE_MS = 300_000

/** Argo's `Experiment` for the same pod behind the same Service. It has no end, as the forks have none. */
const argoExperiments: Side = {
  name: "Argo's Experiments",
  path: (namespace) =>
    `/apis/argoproj.io/v1alpha1${namespace === undefined ? '' : `/namespaces/${namespace}`}/experiments`,
  object: (index, namespace, source) => {
    const { spec } = deployments.object(index, namespace, source) as KubeObject
    const { replicas, selector, template } = objectOr(spec)
    return {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Experiment',
      metadata: { name: `copy-${index}`, namespace },
      spec: { templates: [{ name: 'copy', replicas, selector, template }] },
    }
  },
  isReady: (object) => at(object, 'status', 'phase') === 'Running',
}

/**
 * Compares the product with the nearest peer that does the same job, started as its own manifests start it. Bare
 * Deployments show how much of the time Kubernetes takes.
 */
export const argo: Bench = {
  name: 'argo',
  measures: `${COUNT} experiments of one source, beside ${COUNT} of Argo's for the same pods`,
  async run(tell) {
    const creation = { namespace: 'crowd', count: COUNT, deadlineMs: DEADLINE_MS }
    const ours = () => withProduct(tell, (stand) => createCrowd(stand, { ...creation, side: experiments }))
    const theirs = () =>
      onPlane(tell, async (stand) => {
        await startArgoRollouts(stand.plane, { isLimited: true })
        return createCrowd(stand, { ...creation, side: argoExperiments })
      })
    const bare = () => onPlane(tell, (stand) => createCrowd(stand, { ...creation, side: deployments }))
    const perSecond: Record<'ours' | 'theirs' | 'bare', number[]> = { ours: [], theirs: [], bare: [] }
    for (const [side, create] of [
      ['theirs', theirs] as const,
      ['ours', ours] as const,
      ['bare', bare] as const,
      ['ours', ours] as const,
      ['theirs', theirs] as const,
    ]) {
      const { seconds } = await create()
      tell(`${side}: ${COUNT} ready after ${seconds.toFixed(1)} s`)
      perSecond[side].push(COUNT / seconds)
    }
    const [value = 0, against = 0] = [perSecond.ours, perSecond.theirs].map((all) => all.reduce((a, b) => a + b, 0) / 2)
    return [plainFigure({ name: `${COUNT} forks beside Argo`, value, unit: 'forks/s', against })]
  },
}
