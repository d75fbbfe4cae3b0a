import { sinceOf } from '../../../common/api/conditions.ts'
import { known, knownOrAbsent } from '../../../common/api/known.ts'
import { COMMAND, COMMAND_BY, COMMAND_SAW } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { PromotionSpec, Strategy, TrafficSpec } from '../../../common/api/strategy.ts'
import type { Components, Facts } from '../../../common/facts/facts.ts'
import { mayHaveTwin, twinFact } from '../../../common/facts/own-objects.ts'
import { isEqual, type JsonObject } from '../../../common/json/json.ts'
import type { Plan } from '../../../common/outcome/conclusion.ts'
import { withStored } from '../../../common/outcome/stored.ts'
import { seenNow } from '../../../common/situation/seen-now.ts'
import { concernedPods } from '../../../common/strategy/gate.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import type { Write } from '../../../common/writes/write.ts'
import { aDeployment, anExperiment, imageOverride, installing } from '../../builders.ts'
import { plan, statusOf } from '../of-facts.ts'
import { podsAfter } from './simulated-pods.ts'
import { type Services, trafficOf } from './simulated-services.ts'
import { make } from './simulated-writes.ts'
import { someFacts } from './some-facts.ts'
import { available, type World } from './some-world.ts'

/** 10 %, an hour, 20 %, until resumed; then until promoted, the promotion, and 30 seconds: seven steps. */
export const CANARY: Strategy = {
  canary: { steps: [{ setWeight: 10 }, { pause: { duration: '1h' } }, { setWeight: 20 }, { pause: {} }] },
}
export const START = new Date('2026-11-21T10:00:00Z')

/** `cart` with `replicas` available pods. */
export const aSource = (replicas = 10, image = 'example/cart:1', spec: JsonObject = {}): KubeObject =>
  available(aDeployment({ image, metadata: { resourceVersion: '20' }, spec: { replicas, ...spec } }))

export interface RunOf
  extends Partial<Omit<Parameters<typeof anExperiment>[0] & object, 'strategy' | 'promotion' | 'traffic'>> {
  readonly strategy?: Strategy | undefined
  readonly promotion?: PromotionSpec | undefined
  readonly traffic?: TrafficSpec | undefined
}

/** `faster-cart` with a strategy: another image, in the steps of `CANARY`. */
export function aRunExperiment({ promotion, traffic, ...given }: RunOf = {}) {
  const { strategy, ...of } = { strategy: CANARY as Strategy | undefined, ...given }
  const run = {
    ...(strategy ? { strategy } : {}),
    ...(promotion ? { promotion } : {}),
    ...(traffic ? { traffic } : {}),
  }
  return anExperiment({ overrideSpec: imageOverride('example/cart:2'), ...run, ...of })
}

/**
 * A run in memory: each pass plans, makes the writes, and stores the status. Workloads become available at once, unless
 * `world.isHealthy` is false.
 */
export function aRun(experiment = aRunExperiment(), given: Partial<World> = {}) {
  const world: World = {
    now: START,
    experiment,
    source: aSource(),
    fork: undefined,
    twin: undefined,
    twinRepairInMs: 0,
    pods: [],
    services: undefined,
    lostPins: { repairInMs: 0, isContested: false },
    revision: undefined,
    record: undefined,
    isPromotionInstalled: true,
    isHealthy: true,
    analyses: undefined,
    stored: (source) => source,
    ...given,
  }
  const trafficNow = () => world.traffic ?? (world.services && trafficOf(world.services, world))
  const facts = (): Facts => ({
    ...someFacts({
      now: world.now,
      experiment: world.experiment,
      source: world.source,
      fork: world.fork,
      ...(world.revision ? { revision: world.revision } : {}),
      ...(world.policies ? { policies: world.policies } : {}),
      ...('neighbours' in world ? { neighbours: world.neighbours } : {}),
      traffic: trafficNow() ?? { services: [], slices: [] },
    }),
    installed: installing('gate', ...others(world)),
    gate: { pods: known(concernedPods(world.pods, strategyRunSpec(world.experiment.spec)?.isGated === true)) },
    ...(world.twin || mayHaveTwin(world.experiment) ? { twin: twinNow(world) } : {}),
    ...(world.analyses ? { analysis: { ...world.analyses.facts, source: knownOrAbsent(world.source) } } : {}),
    ...(world.services ? { cutOver: { services: known(seenServices(world, world.services)) } } : {}),
    promotion: { source: knownOrAbsent(world.source), record: knownOrAbsent(world.record) },
  })
  /** `but`: facts that this pass finds otherwise */
  const pass = (but: Partial<Facts> = {}): Plan => {
    const seen = { ...facts(), ...but }
    const planned = plan(seen)
    let { conclusion } = planned
    for (const write of planned.writes) {
      const stored = make(world, write)
      conclusion = withStored(conclusion, write, { stored, facts: seen, healthOf: planned.healthOf })
    }
    world.pods = podsAfter(world.pods, world.fork, world)
    const status = statusOf(seen, conclusion)
    world.experiment = { ...world.experiment, status }
    return planned
  }
  const strategy = () => world.experiment.status?.strategy
  const conditionOf = (type: string) => world.experiment.status?.conditions?.find((each) => each.type === type)
  return {
    world,
    facts,
    pass,
    strategy,
    /** `1/7 Paused` */
    step: () => strategy()?.step,
    pods: () => (world.fork ? replicasOf(world.fork) : undefined),
    reasonOf: (type: string) => conditionOf(type)?.reason,
    messageOf: (type = 'Ready') => conditionOf(type)?.message,
    /** Passes until one changes nothing, not even the status. Returns the writes of all. */
    rest(most = 40, but: Partial<Facts> = {}): readonly Write[] {
      const written: Write[] = []
      for (let passes = 0; passes <= most; passes += 1) {
        const before = world.experiment.status
        const { writes } = pass(but)
        written.push(...writes)
        if (writes.length === 0 && isEqual(before, world.experiment.status)) return written
      }
      throw new Error(`the run does not rest within ${most} passes: ${JSON.stringify(strategy())}`)
    },
    wait(seconds: number) {
      world.now = new Date(world.now.getTime() + seconds * 1_000)
    },
    /** Says `verb` as the webhook stamps it. No two commands have the same time. */
    say(verb: string, by = 'ada') {
      world.now = new Date(world.now.getTime() + 1)
      const { stepIndex = 0, revision = '', wholeRevision } = strategy() ?? {}
      const at = world.now.toISOString()
      const values = seenNow(facts())?.values
      const seen = values === undefined ? '' : ` values=${values}`
      const saw = wholeRevision === undefined ? '' : `at=${at} step=${stepIndex} revision=${wholeRevision}${seen}`
      annotate(world, `${verb} step=${stepIndex} revision=${revision} at=${at}`, { by, saw })
    },
    /** Says `text` as it is. */
    sayUnstamped: (text: string) => annotate(world, text),
    /** Changes the spec as its author does. */
    edit(of: RunOf) {
      const { spec, metadata, ...others } = world.experiment
      const generation = (metadata.generation ?? 1) + 1
      const edited = anExperiment({ ...spec, ...of } as Parameters<typeof anExperiment>[0])
      world.experiment = { ...others, metadata: { ...metadata, generation }, spec: edited.spec }
    },
  }
}

export type RunWorld = ReturnType<typeof aRun>

function annotate(world: World, text: string, stamped?: { readonly by: string; readonly saw: string }) {
  const beside = stamped ? { [COMMAND_BY]: stamped.by, [COMMAND_SAW]: stamped.saw } : {}
  const annotations = { [COMMAND]: text, ...beside }
  const { metadata, ...others } = world.experiment
  world.experiment = { ...others, metadata: { ...metadata, annotations } }
}

/** The components that the world has beside the gate. */
const others = ({ isPromotionInstalled, services, analyses }: World): readonly (keyof Components)[] => [
  ...(isPromotionInstalled ? (['promotion'] as const) : []),
  ...(services ? (['cutOver'] as const) : []),
  ...(analyses ? (['analysis'] as const) : []),
]

const seenServices = (world: World, { active, preview }: Services) => ({
  active: knownOrAbsent(active),
  preview: knownOrAbsent(preview),
  source: knownOrAbsent(world.source),
  previewRepairInMs: 0,
  unchangedMs: 0,
  listedMs: 60_000,
  previewListedMs: 60_000,
  shortMs: shortMs(world),
  slices: (world.traffic ?? trafficOf({ active, preview }, world)).slices,
  ...world.lostPins,
})

/** As the controller knows it after a restart. */
function shortMs({ experiment, now }: World): number | undefined {
  const since = sinceOf(experiment.status, 'TooFewPods')
  return since === undefined ? undefined : now.getTime() - Date.parse(since)
}

const twinNow = ({ experiment, twin, twinRepairInMs, twinUnreported }: World) => ({
  object: twinFact(experiment, knownOrAbsent(twin)),
  repairInMs: twinRepairInMs,
  unreported: twinUnreported,
})
