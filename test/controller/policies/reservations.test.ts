import { expect } from 'chai'
import { FIELD_MANAGER } from '../../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { ObjectChange } from '../../../common/kube/watch/store.ts'
import { forkName, forkSelector, ownershipMetadata } from '../../../common/workload/identity.ts'
import { ExperimentIndex } from '../../../controller/indexes/experiment-index.ts'
import { Reservations } from '../../../controller/policies/reservations.ts'
import { aDeployment, anExperiment } from '../../builders.ts'

const ALL = { source: true, namespace: true }

/** An experiment whose name is its uid, with that reason of `Ready`. */
const experiment = (uid: string, { reason = 'Available', namespace = 'shop', source = 'cart' } = {}) =>
  anExperiment({
    metadata: { name: uid, uid, namespace },
    sourceRef: { kind: 'Deployment', name: source, namespace: 'shop' },
    status: {
      conditions: [
        { type: 'Ready', status: 'False', reason, message: '', observedGeneration: 1, lastTransitionTime: '' },
      ],
    },
  })

const nameOf = (owner: ExperimentDeployment) => forkName('cart', owner.metadata.uid)
const forkOf = (owner: ExperimentDeployment, replicas = 1, spec = {}) =>
  aDeployment({
    name: nameOf(owner),
    metadata: { ...ownershipMetadata(owner), managedFields: [{ manager: FIELD_MANAGER, operation: 'Apply' }] },
    spec: { replicas, selector: forkSelector(owner), ...spec },
  })

/** The change that a cache reports. */
function changeOf<T>(key: string, before: T | undefined, after: T | undefined): ObjectChange<T> {
  if (before && after) return { is: 'updated', key, before, after }
  if (after) return { is: 'added', key, after }
  if (before) return { is: 'deleted', key, before }
  throw new Error('nothing changed')
}

function world(...experiments: readonly ExperimentDeployment[]) {
  const known = new Map<string, ExperimentDeployment>()
  const index = new ExperimentIndex()
  const forks = new Map<string, KubeObject>()
  const reservations = new Reservations({
    index,
    experiment: (key) => known.get(key),
    fork: (kind, key) => forks.get(`${kind}/${key}`),
  })
  const has = (owner: ExperimentDeployment, fork: KubeObject | undefined) => {
    const key = `Deployment/shop/${nameOf(owner)}`
    if (fork) forks.set(key, fork)
    else forks.delete(key)
  }
  const keyOf = ({ metadata }: ExperimentDeployment) => `${metadata.namespace}/${metadata.name}`
  const become = (before: ExperimentDeployment | undefined, after: ExperimentDeployment | undefined) => {
    const [key = ''] = [before, after].flatMap((each) => (each ? [keyOf(each)] : []))
    if (after) known.set(key, after)
    else known.delete(key)
    const woken = reservations.experimentChanged(changeOf(key, before, after))
    if (after) index.add(key, after)
    else if (before) index.remove(key, before)
    return woken
  }
  for (const each of experiments) become(undefined, each)
  const others = (of: ExperimentDeployment, scope = ALL) =>
    reservations.othersOf(of, scope).others.map(({ experiment: other, replicas }) => [other.metadata.name, replicas])
  return { reservations, become, others, has }
}

const [a, b, elsewhere] = [experiment('a'), experiment('b'), experiment('c', { namespace: 'lab', source: 'cart' })]
const beside = experiment('d', { source: 'other' })

const REF = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'fork', namespace: 'shop', generation: 1 }

describe('reservations', () => {
  it('N29: count a fork that is too large to be read as it is wanted', () => {
    const owner = anExperiment({
      metadata: { name: 'e', uid: 'e' },
      replicas: 7,
      status: { experimentResourceRef: { ...REF, uid: 'uid-of-fork' } },
    })
    const { others, has } = world(a, owner)
    const { metadata } = forkOf(owner)
    const unread = (uid: string) => ({ ...forkOf(owner), spec: {}, metadata: { ...metadata, uid }, [UNREAD]: 'large' })
    has(owner, unread('uid-of-fork'))
    expect(others(a)).to.deep.equal([['e', 7]])
    has(owner, unread('another'))
    expect(others(a)).to.deep.equal([['e', undefined]])
  })

  it('count the experiments of one source in every namespace, and those of one namespace', () => {
    const { others } = world(a, b, elsewhere, beside)
    expect(others(a, { source: true, namespace: false }).map(([name]) => name)).to.deep.equal(['b', 'c'])
    expect(others(a, { source: false, namespace: true }).map(([name]) => name)).to.deep.equal(['b', 'd'])
    expect(others(a).map(([name]) => name)).to.deep.equal(['b', 'c', 'd'])
  })

  it('count the replicas of a fork, or none without a fork', () => {
    const { has, others } = world(a, b)
    has(b, forkOf(b, 3))
    expect(others(a)).to.deep.equal([['b', 3]])
    has(b, undefined)
    expect(others(a)).to.deep.equal([['b', undefined]])
  })

  it('N36: count the fork of an experiment that is gone until it is gone too, and then wake those that wait', () => {
    const waiting = experiment('w', { reason: 'LimitReached' })
    const { reservations, become, has, others } = world(a, b, waiting)
    const dying = { ...forkOf(b, 3), metadata: { ...forkOf(b, 3).metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } }
    has(b, forkOf(b, 3))
    become(b, undefined)
    expect(others(a)).to.deep.equal([
      ['w', undefined],
      ['b', 3],
    ])
    has(b, dying)
    expect(others(a, { source: false, namespace: true })).to.deep.include(['b', 3])
    has(b, undefined)
    const key = `shop/${nameOf(b)}`
    expect(reservations.forkChanged('Deployment', changeOf(key, dying, undefined))).to.deep.equal(['shop/w'])
    expect([others(a), reservations.entryCount]).to.deep.equal([[['w', undefined]], 1])
  })

  it('N36: do not count a fork that somebody has orphaned', () => {
    const { become, has, others } = world(a, b)
    const { ownerReferences: _owner, ...others_ } = forkOf(b).metadata
    has(b, { ...forkOf(b), metadata: others_ })
    become(b, undefined)
    expect(others(a)).to.deep.equal([])
  })

  it('N36: wake those that wait when an expired experiment has lost its fork, and not before', () => {
    const waiting = experiment('w', { reason: 'LimitReached' })
    const { become } = world(a, b, waiting)
    const over = experiment('b', { reason: 'Expired' })
    const ref = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: nameOf(b),
      namespace: 'shop',
      uid: 'f',
      generation: 1,
    }
    const leaving = { ...over, status: { ...over.status, experimentResourceRef: ref } }
    expect(become(b, leaving)).to.deep.equal([])
    expect(become(leaving, over)).to.deep.equal(['shop/w'])
  })

  it('R7: name the other experiments of a source when the number of pods of one fork has changed', () => {
    const { reservations } = world(a, b, elsewhere, beside)
    const changed = (before?: KubeObject, after?: KubeObject) =>
      reservations.forkChanged('Deployment', changeOf(`shop/${nameOf(a)}`, before, after))
    expect(changed(undefined, forkOf(a))).to.deep.equal(['shop/b', 'lab/c'])
    expect(changed(forkOf(a), forkOf(a, 3))).to.deep.equal(['shop/b', 'lab/c'])
    expect(changed(forkOf(a), forkOf(a))).to.deep.equal([])
    expect(changed(forkOf(a), undefined)).to.deep.equal(['shop/b', 'lab/c'])
  })

  it('count a fork in another namespace that its labels prove', () => {
    const { has, others } = world(a, elsewhere)
    has(elsewhere, forkOf(elsewhere, 4))
    expect(others(a)).to.deep.equal([['c', 4]])
  })

  const { metadata, ...rest } = forkOf(b, 50)
  const forgeries: Record<string, KubeObject> = {
    'nothing but the labels and the name': {
      ...rest,
      metadata: { ...metadata, ownerReferences: [] },
      spec: { replicas: 50 },
    },
    'another experiment as its owner': { ...rest, metadata: { ...forkOf(a).metadata, name: metadata.name } },
    'another selector': forkOf(b, 50, { selector: { matchLabels: { app: 'mine' } } }),
  }
  for (const [what, forgery] of Object.entries(forgeries))
    it(`do not count an object with ${what}`, () => {
      const { has, others } = world(a, b)
      has(b, forgery)
      expect(others(a)).to.deep.equal([['b', undefined]])
    })

  it('count a fork whose labels another client changed', () => {
    const { has, others } = world(a, b)
    const labels = { ...metadata.labels, 'experiment-controller.example.com/owner-uid': 'nobody' }
    has(b, { ...rest, metadata: { ...metadata, labels } })
    expect(others(a)).to.deep.equal([['b', 50]])
  })

  it('count before the caches have the fork, and end when the next pass still has no fork', () => {
    const { reservations, others } = world(a, b)
    expect(reservations.reserve(b, { replicas: 2, asOf: 0 })).to.equal(true)
    expect(others(a)).to.deep.equal([['b', 2]])
    reservations.othersOf(b, ALL)
    expect(others(a)).to.deep.equal([['b', undefined]])
  })

  it('are made for one of two experiments that read the same counts', () => {
    const { reservations } = world(a, b)
    const [readByA, readByB] = [a, b].map((each) => reservations.othersOf(each, ALL).asOf)
    expect(reservations.reserve(a, { replicas: 1, asOf: readByA ?? -1 })).to.equal(true)
    expect(reservations.reserve(b, { replicas: 1, asOf: readByB ?? -1 })).to.equal(false)
    expect(reservations.reserve(b, { replicas: 1, asOf: reservations.othersOf(b, ALL).asOf })).to.equal(true)
  })

  for (const reason of ['LimitReached', 'PolicyDenied'])
    it(`wake an experiment that waits with ${reason} when another one ends`, () => {
      const waiting = experiment('w', { reason })
      const { become } = world(a, waiting, beside)
      expect(become(a, { ...a, metadata: { ...a.metadata, labels: { new: 'label' } } })).to.deep.equal([])
      expect(become(a, experiment('a', { reason: 'Expired' }))).to.deep.equal(['shop/w'])
      const going = { ...beside, metadata: { ...beside.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } }
      expect(become(beside, going)).to.deep.equal(['shop/w'])
      expect(become(going, undefined)).to.deep.equal(['shop/w'])
      become(waiting, experiment('w'))
      expect(become(a, undefined)).to.deep.equal([])
    })

  it('hold nothing when all experiments are gone', () => {
    const waiting = experiment('w', { reason: 'LimitReached' })
    const { reservations, become } = world(a, waiting)
    reservations.reserve(a, { replicas: 1, asOf: 0 })
    expect(reservations.entryCount).to.equal(2)
    become(a, undefined)
    become(waiting, undefined)
    expect(reservations.entryCount).to.equal(0)
  })
  it('are not made for an experiment that was deleted during its pass, also when its name was taken again', () => {
    const { reservations, become } = world(a)
    const { asOf } = reservations.othersOf(a, ALL)
    become(a, undefined)
    expect(reservations.reserve(a, { replicas: 1, asOf })).to.equal(false)
    const again = { ...a, metadata: { ...a.metadata, uid: 'another' } }
    become(undefined, again)
    expect(reservations.reserve(a, { replicas: 1, asOf })).to.equal(false)
    expect(reservations.entryCount).to.equal(0)
    expect(reservations.reserve(again, { replicas: 1, asOf })).to.equal(true)
  })
})
