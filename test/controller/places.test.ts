import { expect } from 'chai'
import { FIELD_MANAGER } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { belonging, forkName, forkSelector } from '../../common/workload/identity.ts'
import { Interest } from '../../controller/interest.ts'
import { Places } from '../../controller/places.ts'
import { aDeployment, anExperiment } from '../builders.ts'

const ALL = { source: true, namespace: true }

/** An experiment called as its uid, with that reason of `Ready`. */
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
    metadata: { ...belonging(owner), managedFields: [{ manager: FIELD_MANAGER, operation: 'Apply' }] },
    spec: { replicas, selector: forkSelector(owner), ...spec },
  })

function world(...experiments: readonly ExperimentDeployment[]) {
  const known = new Map<string, ExperimentDeployment>()
  const interest = new Interest()
  const forks = new Map<string, KubeObject>()
  const places = new Places({
    interest,
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
    const woken = places.experiment({ key, ...(before ? { before } : {}), ...(after ? { after } : {}) })
    if (after) interest.add(key, after)
    else if (before) interest.remove(key, before)
    return woken
  }
  for (const each of experiments) become(undefined, each)
  const rivals = (of: ExperimentDeployment, among = ALL) =>
    places.rivalsOf(of, among).others.map(({ experiment: other, replicas }) => [other.metadata.name, replicas])
  return { places, become, rivals, has }
}

const [a, b, elsewhere] = [experiment('a'), experiment('b'), experiment('c', { namespace: 'lab', source: 'cart' })]
const beside = experiment('d', { source: 'other' })

describe('the places that policies limit', () => {
  it('are asked for among those of one source, wherever they are, and of one namespace', () => {
    const { rivals } = world(a, b, elsewhere, beside)
    expect(rivals(a, { source: true, namespace: false }).map(([name]) => name)).to.deep.equal(['b', 'c'])
    expect(rivals(a, { source: false, namespace: true }).map(([name]) => name)).to.deep.equal(['b', 'd'])
    expect(rivals(a).map(([name]) => name)).to.deep.equal(['b', 'c', 'd'])
  })

  it('belong to those who have a fork, with as many pods as that has', () => {
    const { has, rivals } = world(a, b)
    has(b, forkOf(b, 3))
    expect(rivals(a)).to.deep.equal([['b', 3]])
    has(b, undefined)
    expect(rivals(a)).to.deep.equal([['b', undefined]])
  })

  it('are counted where a fork in another namespace is proven by its labels', () => {
    const { has, rivals } = world(a, elsewhere)
    has(elsewhere, forkOf(elsewhere, 4))
    expect(rivals(a)).to.deep.equal([['c', 4]])
  })

  const { metadata, ...rest } = forkOf(b, 50)
  const forgeries: Record<string, KubeObject> = {
    'labels and a name alone': { ...rest, metadata: { ...metadata, ownerReferences: [] } },
    'the fork of another': { ...rest, metadata: { ...forkOf(a).metadata, name: metadata.name } },
    'another field manager': { ...rest, metadata: { ...metadata, managedFields: [] } },
    'another selector': forkOf(b, 50, { selector: { matchLabels: { app: 'mine' } } }),
  }
  for (const [what, forgery] of Object.entries(forgeries))
    it(`are not to be had by ${what}`, () => {
      const { has, rivals } = world(a, b)
      has(b, forgery)
      expect(rivals(a)).to.deep.equal([['b', undefined]])
    })

  it('are kept by a fork that somebody gave another label', () => {
    const { has, rivals } = world(a, b)
    const labels = { ...metadata.labels, 'experiment-controller.example.com/owner-uid': 'nobody' }
    has(b, { ...rest, metadata: { ...metadata, labels } })
    expect(rivals(a)).to.deep.equal([['b', 50]])
  })

  it('are taken before the caches know it, and given up by who looks again without a fork', () => {
    const { places, rivals } = world(a, b)
    expect(places.take('b', 2, 0)).to.equal(true)
    expect(rivals(a)).to.deep.equal([['b', 2]])
    places.rivalsOf(b, ALL)
    expect(rivals(a)).to.deep.equal([['b', undefined]])
  })

  it('are taken by one of two who saw the same', () => {
    const { places } = world(a, b)
    const [seenByA, seenByB] = [a, b].map((each) => places.rivalsOf(each, ALL).asOf)
    expect(places.take('a', 1, seenByA ?? -1)).to.equal(true)
    expect(places.take('b', 1, seenByB ?? -1)).to.equal(false)
    expect(places.take('b', 1, places.rivalsOf(b, ALL).asOf)).to.equal(true)
  })

  for (const reason of ['LimitReached', 'PolicyDenied'])
    it(`wake who waits with ${reason} when another one leaves`, () => {
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

  it('hold nothing once all came and went', () => {
    const waiting = experiment('w', { reason: 'LimitReached' })
    const { places, become } = world(a, waiting)
    places.take('a', 1, 0)
    expect(places.held).to.equal(2)
    become(a, undefined)
    become(waiting, undefined)
    expect(places.held).to.equal(0)
  })
})
