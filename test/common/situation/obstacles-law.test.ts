import { expect } from 'chai'
import fc from 'fast-check'
import { EXPERIMENT_ID, GATE } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { at, isObject, listOr } from '../../../common/json/json.ts'
import { openPods } from '../../../common/strategy/gate.ts'
import type { Write } from '../../../common/writes/write.ts'
import { LONG } from '../../property.ts'
import { serving } from '../plan/simulated-pods.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from '../plan/some-run.ts'
import { aPortlessBlueGreen, asCreated, change, ID, OBSTACLES, pinsOf } from '../run/blue-greens.ts'

type Event = (run: RunWorld) => void

/** What may happen to every run between two passes. */
const COMMON: Readonly<Record<string, Event>> = {
  'an hour': (run) => run.wait(3_600),
  resume: (run) => run.say('resume'),
  promote: (run) => run.say('promote'),
  retry: (run) => run.say('retry'),
  pause: (run) => run.sayUnstamped('pause'),
  abort: (run) => run.sayUnstamped('abort'),
  'a container that is not ready': ({ world }) => {
    world.pods = world.pods.map((pod, index) =>
      index === 0 ? { ...pod, hasReadyContainers: false, isReady: false } : pod,
    )
  },
  'ready containers': ({ world }) => {
    world.pods = world.pods.map((pod) => ({ ...pod, hasReadyContainers: true, isReady: pod.isOpen }))
  },
}

const to =
  (which: 'active' | 'preview', how: (service: KubeObject) => KubeObject | undefined): Event =>
  (run) =>
    change(run, which, (service) => how(asCreated(service)))

/** An obstacle comes where a Service is as it is, or with another selector, and goes. */
const OF_SERVICES: Readonly<Record<string, Event>> = {
  'the active Service again': to('active', asCreated),
  'the preview again': to('preview', asCreated),
  ...Object.fromEntries(
    Object.entries(OBSTACLES).flatMap(([reason, obstacle]) => [
      [`${reason} of the active Service`, to('active', obstacle)],
      [`${reason} of the preview`, to('preview', obstacle)],
    ]),
  ),
  'Argo Rollouts takes the limited Service': (run) => change(run, 'active', (of) => OBSTACLES.ServiceIsManaged?.(of)),
}

const OF_CANARY: Readonly<Record<string, Event>> = {
  'a larger source': ({ world }) => {
    world.source = aSource(20)
  },
  'a smaller source': ({ world }) => {
    world.source = aSource(5)
  },
  'other weights': (run) => run.edit({ strategy: { canary: { steps: [{ setWeight: 30 }, { pause: {} }] } }, ...GATED }),
}

const GATED = { traffic: { mode: 'Gated' } } as const
const isOpening = (write: Write): boolean =>
  write.role === 'pod' && write.verb === 'apply' && listOr(at(write.object, 'status', 'conditions')).some(isOpenGate)
const isOpenGate = (condition: unknown) => isObject(condition) && condition.type === GATE && condition.status === 'True'

const histories = (events: Readonly<Record<string, Event>>) =>
  fc.array(fc.tuple(fc.constantFrom(...Object.keys(events)), fc.nat(6)), { maxLength: 10 })

/** Makes so many passes, and looks at each that opens pods. `before`: how many served before it. */
function passes(run: RunWorld, count: number, look: (before: number) => void): void {
  for (let pass = 0; pass < count; pass += 1) {
    const before = serving(run.world.pods)
    if (run.pass().writes.some(isOpening)) look(before)
  }
}
const MANY = 60

/** By the Service alone, and without the code under test: whether it can be limited to the fork. */
function isFree(service: KubeObject | undefined): boolean {
  const { [EXPERIMENT_ID]: id = ID, ...selector } = (at(service, 'spec', 'selector') ?? {}) as Record<string, string>
  const isManaged = service?.metadata.annotations !== undefined
  const byName = listOr(at(service, 'spec', 'ports')).some((port) => at(port, 'targetPort') === 'http')
  return service !== undefined && id === ID && Object.keys(selector).join() === 'app' && !isManaged && !byName
}

/** Whether all pods were promised to be open: from the cut-over on, unless a Service that is needed has an obstacle. */
function isPromised({ services, experiment: { spec, status } }: RunWorld['world']): boolean {
  const { path, stepName, held } = status?.strategy ?? {}
  const { record, written } = status?.promotion ?? {}
  if (pinOfActive(services) === ID || record || written) return true
  const isAfter = path === 'Forward' && FROM_CUT_OVER.some((name) => stepName?.startsWith(name))
  const isPreviewed = spec.strategy?.blueGreen?.previewService !== undefined
  const isTested = stepName !== 'cutOver' || (!held && (!isPreviewed || isFree(services?.preview)))
  return isAfter && isFree(services?.active) && isTested
}
const FROM_CUT_OVER = ['cutOver', 'pause', 'await', 'promote']
const pinOfActive = (services: RunWorld['world']['services']) => at(services?.active, 'spec', 'selector', EXPERIMENT_ID)

describe('the laws of open pods', () => {
  const ofBlueGreen = { ...COMMON, ...OF_SERVICES }

  it('N1: of a blue-green, none is opened and none stays open but those that its step and its Services promise', () =>
    fc.assert(
      fc.property(histories(ofBlueGreen), fc.boolean(), (history, isPreviewed) => {
        const previewed = isPreviewed ? { previewService: 'cart-preview', previewReplicaCount: 2 } : {}
        const run = aPortlessBlueGreen({ ...previewed, scaleDownDelaySeconds: 60 })
        for (const [event, some] of [['nothing', 0] as const, ...history]) {
          ofBlueGreen[event]?.(run)
          passes(run, some === 6 ? MANY : some, () => {
            expect(isPromised(run.world), `opened after ${event}`).to.equal(true)
          })
        }
        passes(run, MANY, () => undefined)
        const { experiment, pods } = run.world
        const mayBeShared = experiment.status?.promotion !== undefined
        if (openPods(pods) > 0 && !mayBeShared) expect(pinsOf(run)[0], JSON.stringify(run.strategy())).to.equal(ID)
        if (pinsOf(run)[0] === ID) expect(openPods(pods)).to.equal(pods.length)
      }),
      LONG,
    ))

  const ofCanary = { ...COMMON, ...OF_CANARY }
  /** The pods of the last weight, of which each began is one; those of an abort are none. */
  function promisedOf({ source, experiment: { spec, status } }: RunWorld['world']): number {
    const { path, stepIndex = 0 } = status?.strategy ?? {}
    const steps = spec.strategy?.canary?.steps ?? []
    const weight = steps.slice(0, stepIndex + 1).findLast(({ setWeight }) => setWeight !== undefined)?.setWeight ?? 0
    const size = Number(at(source?.spec, 'replicas') ?? 0)
    // weight = pods / (pods + size)
    return path === 'Forward' ? Math.ceil((weight * size) / (100 - weight)) : 0
  }

  it('N1: of a gated canary, no more serve than its weight says, and when it rests no more are open', () =>
    fc.assert(
      fc.property(histories(ofCanary), (history) => {
        const strategy = {
          canary: { steps: [{ pause: {} }, { setWeight: 10 }, { pause: {} }, { setWeight: 40 }, { pause: {} }] },
        }
        const run = aRun(aRunExperiment({ strategy, ...GATED }))
        for (const [event, some] of [['nothing', 0] as const, ...history]) {
          ofCanary[event]?.(run)
          passes(run, some === 6 ? MANY : some, (before) => {
            const most = Math.max(promisedOf(run.world), before)
            expect(serving(run.world.pods), `opened after ${event}`).to.be.at.most(most)
          })
        }
        passes(run, MANY, () => undefined)
        expect(openPods(run.world.pods), JSON.stringify(run.strategy())).to.be.at.most(promisedOf(run.world))
      }),
      LONG,
    ))
})
