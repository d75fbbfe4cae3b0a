import { expect } from 'chai'
import { COMMAND, FORK_FINALIZER, SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { StrategyRunStatus } from '../../../common/api/strategy.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { ObjectChange } from '../../../common/kube/watch/store.ts'
import type { ServiceView } from '../../../common/surroundings/traffic.ts'
import { forkName } from '../../../common/workload/identity.ts'
import type { PodView } from '../../../controller/indexes/fork-pods.ts'
import { aDeployment, anExperiment, FORK, UID } from '../../builders.ts'
import { aGatedPod } from '../../common/strategy/gated-pods.ts'
import { NOW, referringTo, world } from './waking.ts'

describe('an experiment is woken', () => {
  it('by a change of its spec, and forgotten when it is deleted', () => {
    const { experiments, others, diary } = world()
    const changed = anExperiment({ metadata: { generation: 2 } })
    experiments.emit({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after: changed })
    experiments.emit({ is: 'deleted', key: 'shop/faster-cart', before: anExperiment() })
    others.emit({ is: 'added', key: 'shop/cart', after: aDeployment() })
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

  it('at once by another client that empties the memory of its run', () => {
    const { experiments, diary } = world()
    const strategy: StrategyRunStatus = {
      run: '',
      revision: '',
      path: 'Forward',
      phase: 'Paused',
      stepIndex: 1,
      stepName: 'pause',
      step: '1/3 Paused',
      since: '2026-11-21T10:00:00.000Z',
    }
    const before = anExperiment({ status: { strategy } })
    experiments.emit({ is: 'updated', key: 'shop/faster-cart', before, after: anExperiment({ status: {} }) })
    expect(diary).to.deep.equal(NOW)
  })

  it('N2: at once by a pod of its fork, but by one without a gate only if it should have one', () => {
    const { experiments, pods, diary } = world()
    const emit = (of: Partial<PodView>) => {
      const after = { ...aGatedPod('pod'), fork: FORK, ...of }
      pods.emit({ is: 'added', key: 'shop/pod', after })
      return diary.splice(0)
    }
    expect([emit({}), emit({ isUngated: true })]).to.deep.equal([NOW, []])
    const gated = anExperiment({ strategy: { blueGreen: { activeService: 'cart' } }, metadata: { generation: 2 } })
    experiments.emit({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after: gated })
    diary.length = 0
    expect(emit({ isUngated: true })).to.deep.equal(NOW)
  })

  it('at once by another client that removes the finalizer, and not by one that adds its own', () => {
    const { experiments, diary } = world()
    const having = (...finalizers: readonly string[]) => anExperiment({ metadata: { finalizers } })
    const update = (before: ExperimentDeployment, after: ExperimentDeployment) => {
      experiments.emit({ is: 'updated', key: 'shop/faster-cart', before, after })
      return diary.splice(0)
    }
    expect(update(having(FORK_FINALIZER), having())).to.deep.equal(NOW)
    expect(update(having(FORK_FINALIZER), having(FORK_FINALIZER, 'example.com/mine'))).to.deep.equal([
      'add shop/faster-cart in 60000',
    ])
  })

  it('ever later by another client that removes the finalizer again and again', async () => {
    const { experiments, diary, time } = world()
    const [before, after] = [anExperiment({ metadata: { finalizers: [FORK_FINALIZER] } }), anExperiment()]
    const remove = () => experiments.emit({ is: 'updated', key: 'shop/faster-cart', before, after })
    for (let times = 0; times < 3; times += 1) remove()
    expect(diary.splice(0)).to.deep.equal([...NOW, 'add shop/faster-cart in 250', 'add shop/faster-cart in 500'])
    await time.pass(300_000)
    remove()
    expect(diary).to.deep.equal(NOW)
  })

  it('at once by a changed annotation, which may be a command, not by other metadata', () => {
    const { experiments, diary } = world()
    const saying = (command: string | undefined, labels = {}) =>
      anExperiment({ metadata: { labels, ...(command === undefined ? {} : { annotations: { [COMMAND]: command } }) } })
    const update = (before: ExperimentDeployment, after: ExperimentDeployment) => {
      experiments.emit({ is: 'updated', key: 'shop/faster-cart', before, after })
      return diary.splice(0)
    }
    const atOnce = ['add changed shop/faster-cart']
    expect(update(saying(undefined), saying('pause'))).to.deep.equal(atOnce)
    expect(update(saying('pause'), saying('abort'))).to.deep.equal(atOnce)
    expect(update(saying('abort'), saying(undefined))).to.deep.equal(atOnce)
    expect(update(saying('abort'), saying('abort', { team: 'a' }))).to.deep.equal(['add shop/faster-cart in 60000'])
  })

  it('by a change of its fork at once, and within a second while the pods of the fork start', () => {
    const { experiments, forks, diary } = world()
    const created = aDeployment({ name: FORK })
    const [key, status] = [`shop/${FORK}`, { observedGeneration: 99, replicas: 11, updatedReplicas: 11 }]
    const starting: KubeObject = { ...created, status: { ...status, unavailableReplicas: 11 } }
    const available = { ...created, status: { ...status, readyReplicas: 11, availableReplicas: 11 } }
    const scaled = { ...starting, spec: { ...(starting.spec as object), replicas: 4 } }
    const emit = (change: ObjectChange<KubeObject>) => {
      forks.emit(change)
      return diary.splice(0)
    }
    const soon = ['add shop/faster-cart in 1000']
    expect(emit({ is: 'added', key, after: created })).to.deep.equal(soon)
    expect(emit({ is: 'updated', key, before: created, after: starting })).to.deep.equal(soon)
    expect(emit({ is: 'updated', key, before: starting, after: available })).to.deep.equal(NOW)
    expect(emit({ is: 'updated', key, before: starting, after: scaled })).to.deep.equal(NOW)
    expect(emit({ is: 'deleted', key, before: available })).to.deep.equal(NOW)
    expect(emit({ is: 'deleted', key: 'shop/another', before: aDeployment({ name: 'another' }) })).to.deep.equal([])
    const canary = anExperiment({ strategy: { canary: {} }, metadata: { generation: 2 } })
    experiments.emit({ is: 'updated', key: 'shop/faster-cart', before: anExperiment(), after: canary })
    diary.length = 0
    expect(emit({ is: 'added', key, after: created })).to.deep.equal(NOW)
  })

  it('by a new generation of its source at once, by other changes of it a few seconds later', async () => {
    const { others, diary, later } = world()
    const [one, two] = [aDeployment(), aDeployment({ metadata: { generation: 2 } })]
    others.emit({ is: 'updated', key: 'shop/cart', before: one, after: one })
    expect(await later()).to.deep.equal(NOW)
    others.emit({ is: 'updated', key: 'shop/cart', before: one, after: two })
    others.emit({ is: 'deleted', key: 'shop/cart', before: two })
    expect(diary).to.deep.equal([...NOW, ...NOW])
  })

  it('N52: at once by the label of its source that a canary sets, changes or removes', () => {
    const { experiments, others, forks, diary } = world()
    const labelled = (value: string | undefined) =>
      aDeployment({ labels: value === undefined ? {} : { [SCALED]: value } })
    const update = (before: string | undefined, after: string | undefined, of = others) => {
      of.emit({ is: 'updated', key: 'shop/cart', before: labelled(before), after: labelled(after) })
      return diary.splice(0)
    }
    const [first, second] = [`${UID}.11.9`, `${UID}.11.7`]
    expect([update(undefined, first), update(first, second), update(second, undefined)]).to.deep.equal([NOW, NOW, NOW])
    expect(update('rubbish', undefined)).to.deep.equal(NOW)
    expect(update(first, second, forks)).to.deep.equal(NOW)
    const metadata = { name: 'far', uid: 'far' }
    const sourceRef = { kind: 'Deployment', name: 'other' } as const
    experiments.emit({ is: 'added', key: 'shop/far', after: anExperiment({ metadata, sourceRef }) })
    diary.length = 0
    expect(update(first, 'far.11.9')).to.deep.equal([...NOW, 'add shop/far'])
    expect(update('far.11.9', first)).to.deep.equal([...NOW, 'add shop/far'])
  })

  it('P3: the newest first by a new generation of its source, in the same order as by other changes', async () => {
    const { experiments, others, diary, later, time } = world()
    for (const [index, name] of ['old', 'new'].entries()) {
      const metadata = { name, uid: name, creationTimestamp: `202${index}` }
      experiments.emit({ is: 'added', key: `shop/${name}`, after: anExperiment({ metadata }) })
    }
    diary.length = 0
    const [before, after] = [aDeployment(), aDeployment({ metadata: { generation: 2 } })]
    const newestFirst = ['add shop/new', 'add shop/old', 'add shop/faster-cart']
    others.emit({ is: 'updated', key: 'shop/cart', before, after })
    expect(diary.splice(0)).to.deep.equal(newestFirst)
    others.emit({ is: 'updated', key: 'shop/cart', before: after, after })
    expect(await later()).to.deep.equal(newestFirst.slice(0, 1))
    await time.pass(100)
    expect(diary).to.deep.equal(newestFirst.slice(1))
  })

  it('by another object that has the name of its fork', () => {
    const { others, diary } = world()
    others.emit({ is: 'added', key: `shop/${FORK}`, after: aDeployment({ name: FORK }) })
    expect(diary).to.deep.equal(NOW)
  })

  it('a few seconds later by a fork that counts for its limits', async () => {
    const { forks, later } = world()
    forks.emit({ is: 'added', key: 'shop/counted', after: aDeployment({ name: 'counted' }) })
    forks.emit({ is: 'added', key: 'shop/another', after: aDeployment({ name: 'another' }) })
    expect(await later()).to.deep.equal(NOW)
  })

  it('R7: by a workload that comes to serve in place of its source, or goes, not by other changes of that', () => {
    const { others, diary } = world()
    const primary = aDeployment({ name: 'cart-primary' })
    others.emit({ is: 'added', key: 'shop/cart-primary', after: primary })
    others.emit({ is: 'updated', key: 'shop/cart-primary', before: primary, after: primary })
    others.emit({ is: 'deleted', key: 'shop/cart-primary', before: primary })
    others.emit({ is: 'added', key: 'store/cart-primary', after: primary })
    expect(diary).to.deep.equal([...NOW, ...NOW])
  })

  it('R7: by a Rollout that refers to its source, or did', () => {
    const { rollouts, referrers, diary } = world()
    const [cart, other] = [referringTo('cart'), referringTo('other')]
    rollouts.emit({ is: 'added', key: 'shop/front', after: cart })
    rollouts.emit({ is: 'updated', key: 'shop/front', before: cart, after: cart })
    expect([diary.splice(0), referrers.of('Deployment/shop/cart').length]).to.deep.equal([NOW, 1])
    rollouts.emit({ is: 'updated', key: 'shop/front', before: cart, after: other })
    expect([diary.splice(0), referrers.of('Deployment/shop/cart').length]).to.deep.equal([NOW, 0])
    rollouts.emit({ is: 'deleted', key: 'shop/front', before: other })
    expect(diary).to.deep.equal([])
  })

  it('R7: by the Deployment that its source takes its template from', () => {
    const { experiments, rollouts, others, diary } = world()
    const metadata = { name: 'far', uid: 'far' }
    const after = anExperiment({ metadata, sourceRef: { kind: 'Rollout', name: 'front' } })
    experiments.emit({ is: 'added', key: 'shop/far', after })
    rollouts.emit({ is: 'added', key: 'shop/front', after: referringTo('base') })
    diary.length = 0
    const base = (generation: number) => aDeployment({ name: 'base', metadata: { generation } })
    const [one, two] = [base(1), base(2)]
    others.emit({ is: 'added', key: 'shop/base', after: one })
    others.emit({ is: 'updated', key: 'shop/base', before: one, after: one })
    others.emit({ is: 'updated', key: 'shop/base', before: one, after: two })
    expect(diary).to.deep.equal(['add shop/far', 'add shop/far'])
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
    const { experiments, others, forks, services, diary } = world()
    const metadata = { name: 'far', uid: 'far', namespace: 'lab' }
    const far = anExperiment({ metadata, sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' } })
    experiments.emit({ is: 'added', key: 'lab/far', after: far })
    const fork = forkName('cart', 'far')
    diary.length = 0
    const wakeupsIn = (namespace: string) => {
      others.emit({ is: 'added', key: `${namespace}/cart`, after: aDeployment() })
      forks.emit({ is: 'added', key: `${namespace}/${fork}`, after: aDeployment({ name: fork }) })
      services.emit({ is: 'added', key: `${namespace}/cart`, after: { name: 'cart', selector: { app: 'cart' } } })
      return diary.splice(0)
    }
    expect(wakeupsIn('lab')).to.deep.equal([])
    expect(wakeupsIn('store')).to.deep.equal(['add lab/far', 'add lab/far in 1000', 'add lab/far'])
  })
})
