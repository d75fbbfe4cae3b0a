import { expect } from 'chai'
import { FORK_FINALIZER, SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { StrategyRunStatus } from '../../../common/api/strategy.ts'
import type { Condition } from '../../../common/api/types.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { sizeLabel } from '../../../common/scaling/record.ts'
import type { ServiceView, SliceView } from '../../../common/surroundings/traffic.ts'
import type { TimedState } from '../../../controller/memory/step-clock.ts'
import { observe } from '../../../controller/observe/observe.ts'
import { aDeployment, anExperiment, FORK, UID } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'
import { KEY, NOW, observing } from './observing.ts'

type Of = NonNullable<Parameters<typeof anExperiment>[0]>

const SIZED: Of = { strategy: { canary: { scaleDownSource: true, steps: [{ setWeight: 20 }] } } }
const DELETED = { deletionTimestamp: '2026-11-21T10:00:00Z', finalizers: [FORK_FINALIZER] }
const RUN: StrategyRunStatus = {
  ...{ run: 'r', revision: 'r', path: 'Forward', phase: 'Paused', stepIndex: 1, stepName: 'pause', step: '1/2 Paused' },
  since: '2026-11-21T10:00:00.000Z',
}
const SCALED_STATUS = { strategy: { ...RUN, scaled: { uid: 'uid-of-cart', size: 11, written: 9 } } }

const SOURCE: KubeObject = { ...aDeployment(), status: { availableReplicas: 11 } }
const CACHED_FORK = theFork({ experiment: anExperiment() })
const THE_FORK: KubeObject = { ...CACHED_FORK, status: { availableReplicas: 1 } }
const labelled = (uid: string) =>
  aDeployment({ labels: { [SCALED]: sizeLabel({ experiment: uid, size: 11, written: 9 }) } })

interface Given {
  readonly experiment?: Of
  /** as the cache has it */
  readonly cached?: KubeObject
  readonly live?: () => KubeObject
  readonly fork?: KubeObject
  readonly services?: readonly ServiceView[]
  readonly slices?: readonly SliceView[]
}

/** What a pass reads, the objects that it reads live, and the states that it times. */
async function observed(given: Given = {}) {
  const experiment = anExperiment(given.experiment ?? SIZED)
  const { cached = SOURCE, live = () => SOURCE, fork = THE_FORK, services = [], slices = [] } = given
  const { ports } = observing({ experiment, source: SOURCE })
  const lives: string[] = []
  const states = new Map<TimedState, string>()
  const facts: Facts | undefined = await observe(
    {
      ...ports,
      workloads: {
        ...ports.workloads,
        cached: (_kind, _namespace, name) => (name === FORK ? CACHED_FORK : cached),
        live: async (_kind, _namespace, name) => {
          lives.push(name)
          return name === FORK ? fork : live()
        },
      },
      surroundings: { ...ports.surroundings, traffic: () => ({ services, slices }) },
      steps: {
        ...ports.steps,
        unchangedMs: (_key, what, state) => {
          states.set(what, state)
          return what === 'sizes' ? 3_000 : 2_000
        },
        shortMs: (_key, since) => (since === undefined ? undefined : 7_000),
      },
    },
    KEY,
    NOW,
  )
  return { facts, lives: lives.toSorted(), states, experiment }
}

const service = (name: string, selector: Readonly<Record<string, string>>): ServiceView => ({ name, selector })
const slice = (of: string, ...pods: readonly string[]): SliceView => ({
  service: of,
  ready: pods.map((pod) => ({ address: pod, pod })),
})

describe('the facts of a canary inside the size of its source', () => {
  it('N52: have the source and the fork as they are now, and for how long', async () => {
    const fork = { ...THE_FORK, status: { availableReplicas: 2 } }
    const { facts, lives } = await observed({ fork })
    expect(facts?.fork).to.deep.equal({ is: 'known', value: fork })
    expect(facts?.scaling).to.deep.equal({
      source: { is: 'known', value: SOURCE },
      ...{ sizedMs: 3_000, listedMs: 2_000, shortMs: undefined },
    })
    expect(lives).to.deep.equal(['cart', FORK])
  })

  it('N52: have since when the status says that too few pods serve', async () => {
    const condition = { type: 'TooFewPods', status: 'True', reason: 'TooFewPods', message: '', observedGeneration: 1 }
    const conditions = [{ ...condition, lastTransitionTime: '2026-11-21T10:00:00Z' } as Condition]
    const { facts } = await observed({ experiment: { ...SIZED, status: { conditions } } })
    expect(facts?.scaling?.shortMs).to.equal(7_000)
  })

  const read: Record<string, Given> = {
    'its strategy makes the source smaller': {},
    'its time is over': {
      experiment: { ...SIZED, metadata: { creationTimestamp: '2026-11-01T10:00:00Z' }, ttlSeconds: 60 },
    },
    'its strategy is gone, but the status has the size': { experiment: { status: SCALED_STATUS } },
    'strategy and status are gone, but the source has the label': { experiment: {}, cached: labelled(UID) },
    'it is being deleted': { experiment: { ...SIZED, metadata: DELETED } },
    'it is being deleted, and the source has the label': { experiment: { metadata: DELETED }, cached: labelled(UID) },
    'its source is elsewhere and is not shared any more, but its run has made it smaller': {
      experiment: { sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'stock' }, status: SCALED_STATUS },
    },
  }
  for (const [sentence, given] of Object.entries(read))
    it(`N52: are read where ${sentence}`, async () => {
      const { facts, lives } = await observed(given)
      expect([facts?.scaling?.source.is, facts?.surroundings.traffic.is]).to.deep.equal(['known', 'known'])
      expect(lives).to.include.members(['cart', FORK])
    })

  const unread: Record<string, Given> = {
    'a canary leaves the source as it is': { experiment: { strategy: { canary: {} } } },
    'the label is that of another experiment': { experiment: {}, cached: labelled('another') },
    'the source is no Deployment': { experiment: { ...SIZED, sourceRef: { kind: 'StatefulSet', name: 'cart' } } },
    'its source is elsewhere and is not shared': {
      experiment: { ...SIZED, sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'stock' } },
    },
    'such an experiment is being deleted': {
      experiment: {
        ...{ ...SIZED, metadata: DELETED },
        sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'stock' },
      },
    },
  }
  for (const [sentence, given] of Object.entries(unread))
    it(`N52: are not read where ${sentence}`, async () => {
      const { facts, lives } = await observed(given)
      expect(facts?.scaling).to.equal(undefined)
      expect(lives).to.not.include('cart')
    })

  for (const metadata of [{}, DELETED])
    it(`N52: fail with a read of the source${metadata === DELETED ? ' that is needed for a deletion' : ''}`, async () => {
      const live = () => {
        throw new KubeError({ kind: 'server', message: 'no' })
      }
      const thrown = await observed({ experiment: { ...SIZED, metadata }, live }).catch((error: unknown) => error)
      expect(thrown).to.be.instanceOf(KubeError)
    })

  describe('time', () => {
    const SERVICES = [service('cart', { app: 'cart' }), service('other', { app: 'other' })]
    const state = async (what: TimedState, given: Given) => (await observed(given)).states.get(what)
    const fork = (replicas: number, availableReplicas: number, uid = 'fork') => {
      const [metadata, spec] = [
        { ...THE_FORK.metadata, uid },
        { ...(THE_FORK.spec as object), replicas },
      ]
      return { ...THE_FORK, metadata, spec, status: { availableReplicas } }
    }
    const base: Given = { fork: fork(2, 2), services: SERVICES, slices: [slice('cart', 'cart-1', `${FORK}-1`)] }

    const others: Record<string, readonly [TimedState, Given]> = {
      'another size of the source': ['sizes', { live: () => aDeployment({ spec: { replicas: 9 } }) }],
      'another source': ['sizes', { live: () => aDeployment({ metadata: { uid: 'another' } }) }],
      'another size of the fork': ['sizes', { fork: fork(3, 2) }],
      'another fork': ['sizes', { fork: fork(2, 2, 'another') }],
      'other available pods of the source': ['listed', { live: () => aDeployment() }],
      'other available pods of the fork': ['listed', { fork: fork(2, 1) }],
      'a pod of the source in a slice': ['listed', { slices: [slice('cart', 'cart-1', 'cart-2', `${FORK}-1`)] }],
      'a pod of the fork in a slice': ['listed', { slices: [slice('cart', 'cart-1', `${FORK}-1`, `${FORK}-2`)] }],
      'a Service': ['listed', { services: [...SERVICES, service('all', { app: 'cart' })] }],
    }
    for (const [sentence, [what, given]] of Object.entries(others))
      it(`N52: begins again with ${sentence}`, async () =>
        expect(await state(what, { ...base, ...given })).to.not.equal(await state(what, base)))

    it('N52: goes on where a Service changes that selects neither', async () => {
      const slices = [...(base.slices ?? []), slice('other', 'other-1')]
      expect(await state('listed', { ...base, slices })).to.equal(await state('listed', base))
    })

    it('N52: of sizes goes on while pods start', async () =>
      expect(await state('sizes', { ...base, fork: fork(2, 1), slices: [] })).to.equal(await state('sizes', base)))
  })
})
