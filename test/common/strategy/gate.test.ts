import { expect } from 'chai'
import fc from 'fast-check'
import { type GateChanges, type GatedPod, gateChanges, openPods } from '../../../common/strategy/gate.ts'
import { LAW } from '../../property.ts'
import { aGatedPod, anyGatedPods } from './gated-pods.ts'

const PRESENT = 'new'
const named = ({ open, shut }: GateChanges) => ({
  open: open.map(({ name }) => name),
  shut: shut.map(({ name }) => name),
})
const changes = (pods: readonly GatedPod[], open: number) => named(gateChanges(pods, { open, revision: PRESENT }))

const [shut, open] = [{ isOpen: false }, { isOpen: true, isReady: true }]
const former = { revision: 'old' }

interface Case {
  readonly pods: readonly GatedPod[]
  readonly wanted: number
  readonly opens?: readonly string[]
  readonly shuts?: readonly string[]
}
const CASES: Readonly<Record<string, Case>> = {
  'opens as many pods as are wanted, by name': {
    pods: [aGatedPod('c', shut), aGatedPod('a', shut), aGatedPod('b', shut)],
    wanted: 2,
    opens: ['a', 'b'],
  },
  'N2: changes no gate of a pod that has none': {
    pods: [aGatedPod('a', { ...open, isUngated: true }), aGatedPod('b', open), aGatedPod('c', shut)],
    wanted: 0,
    shuts: ['b'],
  },
  'changes nothing when enough are open': { pods: [aGatedPod('a', shut), aGatedPod('b', open)], wanted: 1 },
  'opens only pods with ready containers, and none that is being deleted': {
    pods: [
      aGatedPod('a', { ...shut, hasReadyContainers: false }),
      aGatedPod('b', { ...shut, isBeingDeleted: true }),
      aGatedPod('c', shut),
    ],
    wanted: 3,
    opens: ['c'],
  },
  'opens pods of the present revision first': {
    pods: [aGatedPod('a', { ...shut, ...former }), aGatedPod('b', shut)],
    wanted: 1,
    opens: ['b'],
  },
  'takes pods of a StatefulSet in the order of their ordinals': {
    pods: ['cart-10', 'cart-2', 'cart-1'].map((name) => aGatedPod(name, shut)),
    wanted: 2,
    opens: ['cart-1', 'cart-2'],
  },
  'shuts those that are too many, by name from the end': {
    pods: [aGatedPod('b', open), aGatedPod('c', open), aGatedPod('a', open)],
    wanted: 1,
    shuts: ['b', 'c'],
  },
  'shuts pods of a former revision first': {
    pods: [aGatedPod('a', { ...open, ...former }), aGatedPod('b', open)],
    wanted: 1,
    shuts: ['a'],
  },
  'keeps a pod of a former revision open until one of the present revision serves in its place': {
    pods: [aGatedPod('a', { ...open, ...former }), aGatedPod('b', shut)],
    wanted: 1,
    opens: ['b'],
  },
  'waits until the new one is ready, also for the gates of other people': {
    pods: [aGatedPod('a', { ...open, ...former }), aGatedPod('b', { isOpen: true, isReady: false })],
    wanted: 1,
  },
  'then shuts it': {
    pods: [aGatedPod('a', { ...open, ...former }), aGatedPod('b', open)],
    wanted: 1,
    shuts: ['a'],
  },
  'opens no other pod in place of an open one that is not ready yet': {
    pods: [aGatedPod('a', shut), aGatedPod('b', { isOpen: true, isReady: false })],
    wanted: 1,
  },
  'shuts of two open pods the one that does not serve': {
    pods: [aGatedPod('a', { isOpen: true, isReady: false }), aGatedPod('b', open)],
    wanted: 1,
    shuts: ['a'],
  },
  'keeps no more pods open than new ones are awaited': {
    pods: [...['a', 'b', 'c', 'd'].map((name) => aGatedPod(name, { ...open, ...former })), aGatedPod('e', shut)],
    wanted: 1,
    opens: ['e'],
    shuts: ['b', 'c', 'd'],
  },
  'a restarted container keeps its pod open': {
    pods: [aGatedPod('a', { isOpen: true, hasReadyContainers: false }), aGatedPod('b', open)],
    wanted: 2,
  },
  'opens another pod while the containers of an open one restart': {
    pods: [aGatedPod('a', { isOpen: true, hasReadyContainers: false }), aGatedPod('b', shut)],
    wanted: 1,
    opens: ['b'],
  },
  'shuts the one whose containers restart when another one serves in its place': {
    pods: [aGatedPod('a', { isOpen: true, hasReadyContainers: false }), aGatedPod('b', open)],
    wanted: 1,
    shuts: ['a'],
  },
  'lets an open pod that is being deleted go, and opens another one': {
    pods: [aGatedPod('a', { ...open, isBeingDeleted: true }), aGatedPod('b', shut)],
    wanted: 1,
    opens: ['b'],
  },
  'none is open at 0, not even one that is being deleted or is not ready': {
    pods: [
      aGatedPod('a', open),
      aGatedPod('b', { ...open, isBeingDeleted: true }),
      aGatedPod('c', { isOpen: true, hasReadyContainers: false }),
      aGatedPod('d', shut),
    ],
    wanted: 0,
    shuts: ['a', 'b', 'c'],
  },
}

/** The pods when the changes are made, and a kubelet has seen it. */
const after = (pods: readonly GatedPod[], { open, shut }: GateChanges): readonly GatedPod[] =>
  pods.map((pod) => {
    const isOpen = open.includes(pod) || (pod.isOpen && !shut.includes(pod))
    return { ...pod, isOpen, isReady: isOpen && pod.hasReadyContainers }
  })

/** The pods after three passes. @throws Error if the gate would still change something */
function atRest(pods: readonly GatedPod[], open: number): readonly GatedPod[] {
  const pass = (now: readonly GatedPod[]) => after(now, gateChanges(now, { open, revision: PRESENT }))
  const rest = pass(pass(pass(pods)))
  expect(changes(rest, open)).to.deep.equal({ open: [], shut: [] })
  return rest
}

const isServing = ({ hasReadyContainers, isOpen, isReady }: GatedPod) => hasReadyContainers && isOpen && isReady
const anyWanted = fc.integer({ min: 0, max: 8 })

const holds = (law: (pods: readonly GatedPod[], wanted: number) => void) =>
  fc.assert(fc.property(anyGatedPods, anyWanted, law), LAW)

describe('the open pods', () => {
  it('are those that get requests, and none that is being deleted', () =>
    expect(
      openPods([aGatedPod('a', open), aGatedPod('b', shut), aGatedPod('c', { ...open, isBeingDeleted: true })]),
    ).to.equal(1))
})

describe('the gate of a fork', () => {
  for (const [sentence, { pods, wanted, opens = [], shuts = [] }] of Object.entries(CASES))
    it(sentence, () => expect(changes(pods, wanted)).to.deep.equal({ open: opens, shut: shuts }))

  it('never opens a pod whose containers are not ready, that goes or is open, and never more than wanted', () =>
    holds((pods, open) => {
      const opened = gateChanges(pods, { open, revision: PRESENT }).open
      expect(opened.filter((pod) => !pod.hasReadyContainers || pod.isBeingDeleted || pod.isOpen)).to.deep.equal([])
      expect(opened.length).to.be.at.most(open)
    }))

  it('comes to rest within three passes, where as many pods are open as can be, and no more than wanted', () =>
    holds((pods, wanted) => {
      const rest = atRest(pods, wanted).filter(({ isBeingDeleted }) => !isBeingDeleted)
      const able = rest.filter(({ hasReadyContainers }) => hasReadyContainers).length
      expect(rest.filter(({ isOpen }) => isOpen).length).to.be.at.most(wanted)
      expect(rest.filter(isServing).length).to.equal(Math.min(wanted, able))
    }))

  it('opens pods of a former revision only if too few of the present one can serve', () =>
    holds((pods, wanted) => {
      const rest = atRest(pods, wanted).filter(({ isBeingDeleted }) => !isBeingDeleted)
      const hasFormer = rest.some((pod) => isServing(pod) && pod.revision !== PRESENT)
      const idle = rest.some((pod) => pod.revision === PRESENT && pod.hasReadyContainers && !pod.isOpen)
      expect(hasFormer && idle).to.equal(false)
    }))

  it('shuts as few as possible: a pod only if as many serve as are wanted, without it and without new ones', () =>
    holds((pods, open) => {
      const found = gateChanges(pods, { open, revision: PRESENT })
      const kept = pods.filter((pod) => pod.isOpen && !pod.isBeingDeleted && !found.shut.includes(pod))
      if (found.shut.length > 0) expect(kept.length).to.be.at.least(open)
      const served = pods.filter((pod) => isServing(pod) && !pod.isBeingDeleted)
      const stillServed = served.filter((pod) => !found.shut.includes(pod))
      expect(stillServed.length).to.be.at.least(Math.min(open, served.length))
    }))

  it('changes no pod of one revision without need', () =>
    holds((pods, open) => {
      const same = pods.map((pod) => ({ ...pod, ...STEADY, isReady: pod.isOpen }))
      const found = gateChanges(same, { open, revision: PRESENT })
      const already = same.filter(({ isOpen }) => isOpen).length
      expect(found.shut.length).to.equal(Math.max(0, already - open))
      expect(found.open.length).to.equal(Math.max(0, Math.min(open, same.length) - already))
    }))

  it('opening twice changes nothing', () =>
    holds((pods, open) => {
      const target = { open, revision: PRESENT }
      const again = gateChanges(after(pods, gateChanges(pods, target)), target)
      expect(again.open).to.deep.equal([])
    }))

  it('does not depend on the order of the pods', () =>
    holds((pods, wanted) => {
      const sorted = (found: ReturnType<typeof named>) => [found.open.toSorted(), found.shut.toSorted()]
      expect(sorted(changes(pods.toReversed(), wanted))).to.deep.equal(sorted(changes(pods, wanted)))
    }))
})

const STEADY = { revision: PRESENT, hasReadyContainers: true, isBeingDeleted: false }
