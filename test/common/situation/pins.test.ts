import { expect } from 'chai'
import { ABSENT, known, knownOrAbsent, unknown } from '../../../common/api/known.ts'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { RunPath } from '../../../common/api/strategy.ts'
import type { SpecFacts } from '../../../common/facts/facts.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { cutOverServices, isServing, keptBy, pinningAt } from '../../../common/situation/pins.ts'
import { compileSteps } from '../../../common/strategy/compile.ts'
import type { GatedPod } from '../../../common/strategy/gate.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import type { TrafficView } from '../../../common/surroundings/traffic.ts'
import { aDeployment, aFork, anExperiment, FORK } from '../../builders.ts'
import { hasRequests, pinState } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'

const ID = FORK.slice(-10)
const EXPERIMENT = anExperiment({ strategy: { blueGreen: { activeService: 'cart', previewService: 'cart-preview' } } })

const CANARY = anExperiment({ strategy: { canary: { steps: [{ setWeight: 10 }] } } })

function specOf() {
  const spec = strategyRunSpec(EXPERIMENT.spec)
  if (!spec) throw new Error('it has no run')
  return spec
}

/** `preview: unpinned pinned`: what each step of a path wants of the active Service and of the preview. */
function wantedOn(path: RunPath): readonly string[] {
  const steps = compileSteps(specOf(), path)
  const run = { run: 'run', revision: 'revision', path, since: '2026-11-21T10:00:00Z' }
  return [...steps.keys()].map((stepIndex) => {
    const { active, preview } = pinningAt({ ...run, stepIndex }, steps)
    return `${steps[stepIndex]?.is}: ${active} ${preview}`
  })
}

interface Of {
  readonly selector?: Readonly<Record<string, string>>
  readonly available?: number
  /** what differs in the source, which has two pods */
  readonly source?: { readonly spec?: JsonObject; readonly status?: JsonObject }
  readonly unchangedMs?: number
  /** the ready pods of the active Service */
  readonly pods?: readonly string[]
  readonly service?: KubeObject | undefined
  readonly open?: number
  /** what is different in these open pods */
  readonly but?: Partial<GatedPod>
  readonly fork?: KubeObject | undefined
}

function factsOf({ selector = {}, available = 2, pods = [], open = 0, but = {}, source = {}, ...of }: Of) {
  const theService: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'cart', namespace: 'shop' },
    spec: { selector: { app: 'cart', ...selector } },
  }
  const service = 'service' in of ? of.service : theService
  const services = {
    active: knownOrAbsent(service),
    preview: ABSENT,
    source: known({
      ...aDeployment({ spec: { replicas: 2, ...source.spec } }),
      status: { observedGeneration: 1, availableReplicas: available, ...source.status },
    }),
    slices: [{ service: 'cart', ready: pods.map((pod) => ({ address: pod, pod })) }],
    repairInMs: 0,
    previewRepairInMs: 0,
    isContested: false,
    unchangedMs: of.unchangedMs ?? 0,
    listedMs: 0,
    previewListedMs: 0,
  }
  const pod = { revision: 'a', hasReadyContainers: true, isOpen: true, isReady: true, isBeingDeleted: false, ...but }
  const opened = Array.from({ length: open }, (_, index) => ({ ...pod, name: `${FORK}-${index}`, uid: String(index) }))
  return {
    ...someFacts({ experiment: EXPERIMENT, fork: 'fork' in of ? of.fork : aFork() }),
    cutOver: { services: known(services) },
    gate: { pods: known(opened) },
  }
}

function stateOf(of: Of) {
  const state = pinState(factsOf(of))
  if (!state) throw new Error('it has no Services')
  return state
}

describe('pinningAt', () => {
  it('pins the preview from its step, and the active Service from the cut-over, until both are returned', () =>
    expect(wantedOn('Forward')).to.deep.equal([
      'size: unpinned unpinned',
      'preview: unpinned pinned',
      'pause: unpinned pinned',
      'size: unpinned pinned',
      'cutOver: pinned pinned',
      'pause: pinned pinned',
      'await: pinned pinned',
      'promote: pinned pinned',
      'return: unpinned unpinned',
      'drain: unpinned unpinned',
    ]))

  it('pins nothing on the way back', () =>
    expect(wantedOn('Abort')).to.deep.equal([
      'return: unpinned unpinned',
      'shut: unpinned unpinned',
      'pause: unpinned unpinned',
      'remove: unpinned unpinned',
    ]))

  it('keeps what is pinned while the source is restored', () =>
    expect(wantedOn('Undo')).to.deep.equal([
      'restore: kept kept',
      'return: unpinned unpinned',
      'remove: unpinned unpinned',
    ]))
})

describe('pinState', () => {
  it('knows its own pin, that of another experiment, and none', () => {
    expect(stateOf({ selector: { [EXPERIMENT_ID]: ID } }).active).to.include({ pinnedTo: ID, isOurs: true })
    expect(stateOf({ selector: { [EXPERIMENT_ID]: 'other' } }).active).to.include({ pinnedTo: 'other', isOurs: false })
    expect(stateOf({}).active).to.include({ pinnedTo: undefined, isOurs: false })
  })

  it('is back when the Service lists all available pods of the source, or is gone', () => {
    expect(stateOf({ pods: ['cart-1', 'cart-2'] }).isBack).to.equal(true)
    expect(stateOf({ pods: ['cart-1'] }).isBack).to.equal(false)
    expect(stateOf({ available: 0 }).isBack).to.equal(false)
    expect(stateOf({ selector: { [EXPERIMENT_ID]: ID }, pods: ['cart-1', 'cart-2'] }).isBack).to.equal(false)
    expect(stateOf({ service: undefined }).isBack).to.equal(true)
  })

  it('is back when as many pods of the source are available as its rollout leaves', () => {
    const isBackWith = (available: number, of: Of = {}) => {
      const pods = Array.from({ length: available }, (_, index) => `cart-${index}`)
      return stateOf({ available, pods, ...of }).isBack
    }
    const ten = { spec: { replicas: 10 } }
    expect([7, 8].map((available) => isBackWith(available, { source: ten }))).to.deep.equal([false, true])
    const recreated = { spec: { replicas: 10, strategy: { type: 'Recreate' } } }
    expect([9, 10].map((available) => isBackWith(available, { source: recreated }))).to.deep.equal([false, true])
    expect(isBackWith(1, { source: { spec: { replicas: 1 } } })).to.equal(true)
    expect(isBackWith(1, { source: ten, unchangedMs: 600_000 })).to.equal(true)
  })

  it('is back although pods of the source lack, where the source is paused or stalled: it will not get more', () => {
    const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }]
    for (const source of [{ spec: { replicas: 10, paused: true } }, { spec: { replicas: 10 }, status: { conditions } }])
      expect(stateOf({ available: 1, pods: ['cart-1'], source }).isBack).to.equal(true)
  })

  it('is dead when it is pinned to pods that are not ready, and the source could answer', () => {
    const pinned = { selector: { [EXPERIMENT_ID]: ID } }
    expect(stateOf(pinned).isDead).to.equal(true)
    expect(stateOf({ ...pinned, pods: [`${FORK}-1`], open: 1 }).isDead).to.equal(false)
    expect(stateOf({ ...pinned, available: 0 }).isDead).to.equal(false)
    expect(stateOf({}).isDead).to.equal(false)
  })

  it('is dead as soon as no pod is ready, although the slices still list some', () => {
    const listed = { selector: { [EXPERIMENT_ID]: ID }, pods: [`${FORK}-1`], open: 2 }
    expect(stateOf({ ...listed, but: { isReady: false } }).isDead).to.equal(true)
    expect(stateOf({ ...listed, but: { isBeingDeleted: true } }).isDead).to.equal(true)
    expect(stateOf({ ...listed, but: { isReady: false }, available: 0 }).isDead).to.equal(false)
    const unread = { ...factsOf({ ...listed, but: { isReady: false } }), gate: { pods: unknown('not read yet') } }
    expect(pinState(unread)?.isDead).to.equal(false)
  })

  it('is dead when the fork is deleted, although its pods still answer, and the source could answer', () => {
    const pinned = { selector: { [EXPERIMENT_ID]: ID }, pods: [`${FORK}-1`] }
    expect(stateOf({ ...pinned, fork: undefined }).isDead).to.equal(true)
    const { metadata, ...others } = aFork()
    const leaving = { ...others, metadata: { ...metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } }
    expect(stateOf({ ...pinned, fork: leaving }).isDead).to.equal(true)
    expect(stateOf({ ...pinned, fork: undefined, available: 0 }).isDead).to.equal(false)
    expect(stateOf({ pods: [`${FORK}-1`], fork: undefined }).isDead).to.equal(false)
  })

  it('is undefined without a blue-green, and where the Services were not read', () => {
    expect(pinState({ ...factsOf({}), experiment: CANARY })).to.equal(undefined)
    expect(pinState(someFacts({ experiment: EXPERIMENT }))).to.equal(undefined)
    expect(cutOverServices(someFacts())).to.equal(undefined)
  })
})

describe('isServing', () => {
  const isServingOf = (of: Of) => isServing(factsOf(of), stateOf(of))

  it('is true while the Service is pinned, and until it lists the source where pods are open', () => {
    expect(isServingOf({ selector: { [EXPERIMENT_ID]: ID } })).to.equal(true)
    expect(isServingOf({ open: 1, pods: [`${FORK}-1`] })).to.equal(true)
    expect(isServingOf({ open: 1, pods: [`${FORK}-1`, 'cart-1', 'cart-2'] })).to.equal(false)
    expect(isServingOf({ open: 0, pods: [`${FORK}-1`] })).to.equal(false)
  })

  it('N1: is false where the Service lists no pod of the fork, because another experiment has it', () =>
    expect(isServingOf({ open: 1, selector: { [EXPERIMENT_ID]: '0123456789' } })).to.equal(false))

  it('N4: is true while an EndpointSlice cannot be read, which may list pods of the fork', () => {
    const facts = factsOf({ open: 1 })
    const isServingWith = (name: string) => {
      const traffic = known({ services: [], slices: [], unread: [{ name, unread: 'it is longer than 1.5 MiB' }] })
      return isServing({ ...facts, surroundings: { ...facts.surroundings, traffic } }, stateOf({ open: 1 }))
    }
    expect([isServingWith('endpointslice/cart-x7k2p'), isServingWith('service/other')]).to.deep.equal([true, false])
  })
})

describe('hasRequests', () => {
  const pinned = { name: 'cart', selector: { app: 'cart', [EXPERIMENT_ID]: ID } }
  const unread = (traffic: SpecFacts['surroundings']['traffic']) => {
    const { cutOver: _unread, ...facts } = factsOf({})
    return { ...facts, surroundings: { ...facts.surroundings, traffic } }
  }

  it('asks the caches where the Services were not read', () => {
    const trafficWith = (services: readonly object[]) => known({ services, slices: [] } as unknown as TrafficView)
    expect(hasRequests(unread(trafficWith([pinned])))).to.equal(true)
    expect(hasRequests(unread(trafficWith([])))).to.equal(false)
    expect(hasRequests(unread(unknown('not read yet')))).to.equal(true)
  })

  it('is false for another strategy', () => {
    expect(hasRequests({ ...unread(unknown('not read yet')), experiment: CANARY })).to.equal(false)
  })
})

describe('keptBy', () => {
  const traffic = (name: string) =>
    known({ services: [], slices: [], unread: [{ name, unread: 'it is longer than 1.5 MiB' }] })
  const keptBeside = (name: string) => {
    const facts = someFacts({ experiment: EXPERIMENT })
    return keptBy({ ...facts, surroundings: { ...facts.surroundings, traffic: traffic(name) } })
  }

  it('N29: keeps a fork to which a Service may send that is too large to be read', () => {
    for (const name of ['service/cart', 'service/cart-preview'])
      expect(keptBeside(name)).to.equal(
        `${name} is too large (it is longer than 1.5 MiB) and may send only to its fork; make it smaller`,
      )
    expect(keptBeside('service/other')).to.equal(undefined)
  })
})
