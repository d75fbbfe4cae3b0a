import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { Handler } from '../../../common/kube/watch/handlers.ts'
import type { ObjectChange } from '../../../common/kube/watch/store.ts'
import type { ServiceView, SliceView } from '../../../common/surroundings/traffic.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { ExperimentIndex } from '../../../controller/indexes/experiment-index.ts'
import type { PodView } from '../../../controller/indexes/fork-pods.ts'
import { Reservations } from '../../../controller/policies/reservations.ts'
import { COALESCE_MS } from '../../../controller/wakeups/paced-wakeups.ts'
import { wakeOnChanges } from '../../../controller/wakeups/watches.ts'
import { anExperiment, aRollout } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'

/** A cache whose changes a test makes. */
function cache<T>() {
  const handlers: Handler<T>[] = []
  return {
    subscribe: (handler: Handler<T>) => void handlers.push(handler),
    emit: (change: ObjectChange<T>) => {
      for (const handler of handlers) handler(change)
    },
  }
}

/** One experiment on `cart`, and a diary of the wakeups. */
export function world() {
  const experiments = cache<ExperimentDeployment>()
  const forks = cache<KubeObject>()
  const others = cache<KubeObject>()
  const services = cache<ServiceView>()
  const slices = cache<SliceView>()
  const diary: string[] = []
  const time = new VirtualTime()
  const queue = {
    add: (key: string) => diary.push(`add ${key}`),
    addAfter: (key: string, delayMs: number) => diary.push(`add ${key} in ${delayMs}`),
    addChanged: (key: string) => diary.push(`add changed ${key}`),
    forget: (key: string) => diary.push(`forget ${key}`),
  }
  const rollouts = { kind: rollout, forks: cache<KubeObject>(), others: cache<KubeObject>() }
  const pods = cache<PodView>()
  const caches = { experiments, workloads: [{ kind: deployment, forks, others }, rollouts], services, slices, pods }
  const index = new ExperimentIndex()
  const restMs = new Map<string, number>()
  const reservations = new Reservations({ index, experiment: () => undefined, fork: () => undefined })
  const onExperimentChange = (change: ObjectChange<ExperimentDeployment>) => reservations.experimentChanged(change)
  const { traffic, referrers, paced } = wakeOnChanges(caches, queue, {
    index,
    onExperimentChange,
    onForkChange: (_kind, { key }) => (key === 'shop/counted' ? ['shop/faster-cart'] : []),
    shareRestMs: (key) => restMs.get(key) ?? 0,
    timers: time,
  })
  experiments.emit({ is: 'added', key: 'shop/faster-cart', after: anExperiment() })
  diary.length = 0
  return {
    experiments,
    forks,
    others,
    rollouts: rollouts.others,
    services,
    slices,
    pods,
    traffic,
    referrers,
    followers: traffic.followers,
    paced,
    restMs,
    time,
    diary,
    /** What happens only after a few seconds. */
    later: async () => {
      const now = diary.splice(0)
      await time.pass(COALESCE_MS)
      return [...now.map((line) => `at once: ${line}`), ...diary.splice(0)]
    },
  }
}

/** A Rollout that takes its template from the Deployment `name`. */
export function referringTo(name: string): KubeObject {
  const found = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } })
  return { ...found, metadata: { ...found.metadata, name: 'front', generation: name.length } }
}

export const NOW = ['add shop/faster-cart']
/** An EndpointSlice of the Service `cart` with these ready pods. */
export const slice = (...pods: string[]): SliceView => ({
  service: 'cart',
  ready: pods.map((pod) => ({ address: pod, pod })),
})
