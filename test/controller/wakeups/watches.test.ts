import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { Handler } from '../../../common/kube/watch/reflector.ts'
import type { Change } from '../../../common/kube/watch/store.ts'
import type { ServiceView, SliceView } from '../../../common/surroundings/traffic.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { forkName } from '../../../common/workload/identity.ts'
import { Reservations } from '../../../controller/policies/reservations.ts'
import { ExperimentIndex } from '../../../controller/wakeups/experiment-index.ts'
import { COALESCE_MS, wakeOnChanges } from '../../../controller/wakeups/watches.ts'
import { aDeployment, anExperiment, FORK } from '../../builders.ts'

/** A cache whose changes a test makes. */
function cache<T>() {
  const handlers: Handler<T>[] = []
  return {
    subscribe: (handler: Handler<T>) => void handlers.push(handler),
    emit: (change: Change<T>) => {
      for (const handler of handlers) handler(change)
    },
  }
}

/** One experiment on `cart`, and a diary of the wakeups. */
function world() {
  const experiments = cache<ExperimentDeployment>()
  const forks = cache<KubeObject>()
  const all = cache<KubeObject>()
  const services = cache<ServiceView>()
  const slices = cache<SliceView>()
  const diary: string[] = []
  const queue = {
    add: (key: string) => diary.push(`add ${key}`),
    addAfter: (key: string, delayMs: number) => diary.push(`add ${key} in ${delayMs}`),
    addChanged: (key: string) => diary.push(`add changed ${key}`),
    forget: (key: string) => diary.push(`forget ${key}`),
  }
  const caches = { experiments, workloads: [{ kind: deployment, forks, all }], services, slices }
  const index = new ExperimentIndex()
  const reservations = new Reservations({ index, experiment: () => undefined, fork: () => undefined })
  const onExperimentChange = (change: Change<ExperimentDeployment>) => reservations.experimentChanged(change)
  const traffic = wakeOnChanges(caches, queue, { index, onExperimentChange })
  experiments.emit({ is: 'added', key: 'shop/faster-cart', after: anExperiment() })
  diary.length = 0
  return { experiments, forks, all, services, slices, traffic, diary }
}

const NOW = ['add shop/faster-cart']
const LATER = [`add shop/faster-cart in ${COALESCE_MS}`]
const slice = (...pods: string[]): SliceView => ({ service: 'cart', ready: pods.map((pod) => ({ uid: pod, pod })) })

describe('an experiment is woken', () => {
  it('by a change of its spec, and forgotten when it is deleted', () => {
    const { experiments, all, diary } = world()
    const changed = anExperiment({ metadata: { generation: 2 } })
    experiments.emit({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after: changed })
    experiments.emit({ is: 'deleted', key: 'shop/faster-cart', before: anExperiment() })
    all.emit({ is: 'added', key: 'shop/cart', after: aDeployment() })
    expect(diary).to.deep.equal(['add changed shop/faster-cart', 'forget shop/faster-cart'])
  })

  it('by a change of its status a minute later, so that a longer wait is not cut short at once', () => {
    const { experiments, diary } = world()
    experiments.emit({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after: anExperiment() })
    expect(diary).to.deep.equal(['add shop/faster-cart in 60000'])
  })

  it('R6: at once by another client that writes its status', () => {
    const { experiments, diary } = world()
    const managedFields = [{ manager: 'kubectl-edit', operation: 'Update', subresource: 'status' }]
    const after = anExperiment({ metadata: { managedFields } })
    experiments.emit({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after })
    expect(diary).to.deep.equal(NOW)
  })

  it('by a change of its fork', () => {
    const { forks, diary } = world()
    forks.emit({ is: 'added', key: `shop/${FORK}`, after: aDeployment({ name: FORK }) })
    forks.emit({ is: 'deleted', key: 'shop/another', before: aDeployment({ name: 'another' }) })
    expect(diary).to.deep.equal(NOW)
  })

  it('by a new generation of its source at once, by other changes of it a few seconds later', () => {
    const { all, diary } = world()
    const [one, two] = [aDeployment(), aDeployment({ metadata: { generation: 2 } })]
    all.emit({ is: 'updated', key: 'shop/cart', before: one, after: one })
    expect(diary.splice(0)).to.deep.equal(LATER)
    all.emit({ is: 'updated', key: 'shop/cart', before: one, after: two })
    all.emit({ is: 'deleted', key: 'shop/cart', before: two })
    expect(diary).to.deep.equal([...NOW, ...NOW])
  })

  it('by another object that has the name of its fork', () => {
    const { all, diary } = world()
    all.emit({ is: 'added', key: `shop/${FORK}`, after: aDeployment({ name: FORK }) })
    expect(diary).to.deep.equal(NOW)
  })

  it('by a Service of its namespace, not of another one', () => {
    const { services, traffic, diary } = world()
    services.emit({ is: 'added', key: 'shop/cart', after: { name: 'cart', selector: { app: 'cart' } } })
    services.emit({ is: 'added', key: 'other/cart', after: { name: 'cart', selector: { app: 'cart' } } })
    expect(diary).to.deep.equal(NOW)
    expect(traffic.of('shop').services).to.have.length(1)
    services.emit({ is: 'deleted', key: 'shop/cart', before: { name: 'cart', selector: { app: 'cart' } } })
    expect(traffic.of('shop').services).to.deep.equal([])
  })

  it('by a Service that now selects or routes otherwise, not by other changes of it', () => {
    const { services, diary } = world()
    const before: ServiceView = { name: 'cart', selector: { app: 'cart' } }
    services.emit({ is: 'updated', key: 'shop/cart', before, after: { ...before } })
    expect(diary).to.deep.equal([])
    services.emit({ is: 'updated', key: 'shop/cart', before, after: { ...before, selector: { app: 'other' } } })
    services.emit({ is: 'updated', key: 'shop/cart', before, after: { ...before, sessionAffinity: 'ClientIP' } })
    expect(diary).to.deep.equal([...NOW, ...NOW])
  })

  it('when it waits for a place and another experiment of its source is deleted', () => {
    const { experiments, diary } = world()
    const waiting = (reason: string) =>
      anExperiment({
        status: {
          conditions: [
            { type: 'Ready', status: 'False', reason, message: '', observedGeneration: 1, lastTransitionTime: '' },
          ],
        },
      })
    const other = anExperiment({ metadata: { name: 'other', uid: 'other' } })
    experiments.emit({ is: 'added', key: 'shop/other', after: other })
    experiments.emit({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after: waiting('LimitReached') })
    diary.length = 0
    experiments.emit({ is: 'deleted', key: 'shop/other', before: other })
    expect(diary).to.deep.equal([...NOW, 'forget shop/other'])
  })

  it('by events in the namespace of its source and fork, not in its own when that is another one', () => {
    const { experiments, all, forks, services, diary } = world()
    const metadata = { name: 'far', uid: 'far', namespace: 'lab' }
    const far = anExperiment({ metadata, sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' } })
    experiments.emit({ is: 'added', key: 'lab/far', after: far })
    const fork = forkName('cart', 'far')
    diary.length = 0
    const wakeupsIn = (namespace: string) => {
      all.emit({ is: 'added', key: `${namespace}/cart`, after: aDeployment() })
      forks.emit({ is: 'added', key: `${namespace}/${fork}`, after: aDeployment({ name: fork }) })
      services.emit({ is: 'added', key: `${namespace}/cart`, after: { name: 'cart', selector: { app: 'cart' } } })
      return diary.splice(0)
    }
    expect(wakeupsIn('lab')).to.deep.equal([])
    expect(wakeupsIn('store')).to.deep.equal(['add lab/far', 'add lab/far', 'add lab/far'])
  })

  it('by an endpoint of its own pods at once, by other endpoints a few seconds later', () => {
    const { slices, traffic, diary } = world()
    slices.emit({ is: 'added', key: 'shop/cart-x', after: slice('cart-5c6b-1') })
    expect(diary.splice(0)).to.deep.equal(LATER)
    const both = slice('cart-5c6b-1', `${FORK}-7d9f-2`)
    slices.emit({ is: 'updated', key: 'shop/cart-x', before: slice('cart-5c6b-1'), after: both })
    expect(diary).to.deep.equal([...NOW, ...LATER])
    expect(traffic.of('shop').slices).to.deep.equal([both])
  })
})
