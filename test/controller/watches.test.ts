import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { forkName } from '../../common/workload/identity.ts'
import type { ServiceView, SliceView } from '../../common/workload/services.ts'
import { connect, FOLD_MS, type Told } from '../../controller/watches.ts'
import { aDeployment, anExperiment, FORK } from '../builders.ts'

/** A reflector of which only the telling matters. */
function view<T>() {
  const handlers: ((change: Told<T>) => void)[] = []
  return {
    get: () => undefined,
    subscribe: (handler: (change: Told<T>) => void) => void handlers.push(handler),
    tell: (change: Told<T>) => {
      for (const handler of handlers) handler(change)
    },
  }
}

/** One experiment on `cart`, and what wakes it. */
function world() {
  const experiments = view<ExperimentDeployment>()
  const forks = view<KubeObject>()
  const all = view<KubeObject>()
  const services = view<ServiceView>()
  const slices = view<SliceView>()
  const diary: string[] = []
  const queue = {
    add: (key: string) => diary.push(`add ${key}`),
    addAfter: (key: string, delayMs: number) => diary.push(`add ${key} in ${delayMs}`),
    forget: (key: string) => diary.push(`forget ${key}`),
  }
  const { traffic } = connect({ experiments, workloads: [{ kind: deployment, forks, all }], services, slices }, queue)
  experiments.tell({ is: 'added', key: 'shop/faster-cart', after: anExperiment() })
  diary.length = 0
  return { experiments, forks, all, services, slices, traffic, diary }
}

const NOW = ['add shop/faster-cart']
const LATER = [`add shop/faster-cart in ${FOLD_MS}`]
const slice = (...pods: string[]): SliceView => ({ service: 'cart', ready: pods.map((pod) => ({ uid: pod, pod })) })

describe('what wakes an experiment', () => {
  it('its own change, and its end makes it forgotten', () => {
    const { experiments, all, diary } = world()
    const changed = anExperiment({ metadata: { generation: 2 } })
    experiments.tell({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after: changed })
    experiments.tell({ is: 'deleted', key: 'shop/faster-cart', before: anExperiment() })
    all.tell({ is: 'added', key: 'shop/cart', after: aDeployment() })
    expect(diary).to.deep.equal([...NOW, 'forget shop/faster-cart'])
  })

  it('the echo of its own status no sooner than a minute later, or whoever waits would not', () => {
    const { experiments, diary } = world()
    experiments.tell({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after: anExperiment() })
    expect(diary).to.deep.equal(['add shop/faster-cart in 60000'])
  })

  it('its fork’s change', () => {
    const { forks, diary } = world()
    forks.tell({ is: 'added', key: `shop/${FORK}`, after: aDeployment({ name: FORK }) })
    forks.tell({ is: 'deleted', key: 'shop/another', before: aDeployment({ name: 'another' }) })
    expect(diary).to.deep.equal(NOW)
  })

  it('its source’s new generation at once, its new status folded', () => {
    const { all, diary } = world()
    const [one, two] = [aDeployment(), aDeployment({ metadata: { generation: 2 } })]
    all.tell({ is: 'updated', key: 'shop/cart', before: one, after: one })
    expect(diary.splice(0)).to.deep.equal(LATER)
    all.tell({ is: 'updated', key: 'shop/cart', before: one, after: two })
    all.tell({ is: 'deleted', key: 'shop/cart', before: two })
    expect(diary).to.deep.equal([...NOW, ...NOW])
  })

  it('a foreign object under the name of its fork', () => {
    const { all, diary } = world()
    all.tell({ is: 'added', key: `shop/${FORK}`, after: aDeployment({ name: FORK }) })
    expect(diary).to.deep.equal(NOW)
  })

  it('a Service of its namespace, and of no other', () => {
    const { services, traffic, diary } = world()
    services.tell({ is: 'added', key: 'shop/cart', after: { name: 'cart', selector: { app: 'cart' } } })
    services.tell({ is: 'added', key: 'other/cart', after: { name: 'cart', selector: { app: 'cart' } } })
    expect(diary).to.deep.equal(NOW)
    expect(traffic.of('shop').services).to.have.length(1)
    services.tell({ is: 'deleted', key: 'shop/cart', before: { name: 'cart', selector: { app: 'cart' } } })
    expect(traffic.of('shop').services).to.deep.equal([])
  })

  it('a Service that selects others now, not one that is the same for us', () => {
    const { services, diary } = world()
    const before: ServiceView = { name: 'cart', selector: { app: 'cart' } }
    services.tell({ is: 'updated', key: 'shop/cart', before, after: { ...before } })
    expect(diary).to.deep.equal([])
    services.tell({ is: 'updated', key: 'shop/cart', before, after: { ...before, selector: { app: 'other' } } })
    services.tell({ is: 'updated', key: 'shop/cart', before, after: { ...before, sessionAffinity: 'ClientIP' } })
    expect(diary).to.deep.equal([...NOW, ...NOW])
  })

  it('its turn, when another one on its source leaves', () => {
    const { experiments, diary } = world()
    const waits = (reason: string) =>
      anExperiment({
        status: {
          conditions: [
            { type: 'Ready', status: 'False', reason, message: '', observedGeneration: 1, lastTransitionTime: '' },
          ],
        },
      })
    const other = anExperiment({ metadata: { name: 'other', uid: 'other' } })
    experiments.tell({ is: 'added', key: 'shop/other', after: other })
    experiments.tell({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after: waits('LimitReached') })
    diary.length = 0
    experiments.tell({ is: 'deleted', key: 'shop/other', before: other })
    expect(diary).to.deep.equal([...NOW, 'forget shop/other'])
  })

  it('what happens in the namespace of its source and fork, not in its own, where these are two', () => {
    const { experiments, all, forks, services, diary } = world()
    const metadata = { name: 'far', uid: 'far', namespace: 'lab' }
    const far = anExperiment({ metadata, sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' } })
    experiments.tell({ is: 'added', key: 'lab/far', after: far })
    const fork = forkName('cart', 'far')
    diary.length = 0
    const woken = (namespace: string) => {
      all.tell({ is: 'added', key: `${namespace}/cart`, after: aDeployment() })
      forks.tell({ is: 'added', key: `${namespace}/${fork}`, after: aDeployment({ name: fork }) })
      services.tell({ is: 'added', key: `${namespace}/cart`, after: { name: 'cart', selector: { app: 'cart' } } })
      return diary.splice(0)
    }
    expect(woken('lab')).to.deep.equal([])
    expect(woken('store')).to.deep.equal(['add lab/far', 'add lab/far', 'add lab/far'])
  })

  it('an endpoint of its own at once, those of others folded', () => {
    const { slices, traffic, diary } = world()
    slices.tell({ is: 'added', key: 'shop/cart-x', after: slice('cart-5c6b-1') })
    expect(diary.splice(0)).to.deep.equal(LATER)
    const both = slice('cart-5c6b-1', `${FORK}-7d9f-2`)
    slices.tell({ is: 'updated', key: 'shop/cart-x', before: slice('cart-5c6b-1'), after: both })
    expect(diary).to.deep.equal([...NOW, ...LATER])
    expect(traffic.of('shop').slices).to.deep.equal([both])
  })
})
