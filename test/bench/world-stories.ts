/** The stories of `bench verdicts` that are made without the engine's model, by what must not happen, or has to. */
import { asEvents, inBuckets, judgeOf, oneByOne, twiceScraped } from './world-judges.ts'
import {
  AT_THE_LIMIT,
  anywhere,
  bimodal,
  byRoute,
  daily,
  ERRORS,
  errors,
  FAILS,
  forkBy,
  HARMLESS,
  isFork,
  LATENCY,
  LOOKS,
  latency,
  loaded,
  logNormal,
  ofWorld,
  onePod,
  PASSES,
  pareto,
  restarts,
  type WorldStory,
} from './world-making.ts'
import {
  alone,
  always,
  failing,
  inBursts,
  inLoops,
  inOutages,
  inTimeouts,
  missing,
  type PodCounts,
  restarting,
  timed,
  type WorldPod,
  withRetries,
} from './worlds.ts'

const [FEW, SOME, MANY]: readonly [PodCounts, PodCounts, PodCounts] = [
  [1, 6],
  [2, 5],
  [4, 10],
]
const SECONDS = 30 * (LOOKS + 1)

/** As they were right before: log-normal, Pareto, bimodal, daily, thin, errors one by one. */
const RIGHT: Readonly<Record<string, WorldStory>> = {
  'equal, log-normal': latency({}, HARMLESS),
  'equal, log-normal, 4 beside 10': latency({ pods: MANY }, HARMLESS),
  'at the tolerance, single times': latency({ slowness: forkBy(1.1), each: () => 20 }, HARMLESS, oneByOne),
  'at the tolerance, log-normal σ 1': latency({ slowness: forkBy(1.1), draw: logNormal(1) }, HARMLESS),
  'equal, Pareto': latency({ draw: pareto }, HARMLESS),
  'equal, bimodal': latency({ draw: bimodal }, HARMLESS),
  'at the tolerance, a daily course': latency({ slowness: daily, draw: logNormal(1) }, HARMLESS),
  'at the tolerance, load that comes and goes': latency({ slowness: loaded, draw: logNormal(1) }, HARMLESS),
  'equal, thin traffic': latency({ each: () => 4 }, HARMLESS),
  'errors at the tolerance, 1 beside 6': errors(FEW, [0.024, 0.02], alone, HARMLESS),
  'errors at the tolerance': errors(SOME, [0.024, 0.02], alone, HARMLESS),
  'errors at the tolerance, 4 beside 10': errors(MANY, [0.024, 0.02], alone, HARMLESS),
}

/** Of two pods the bad one is always measured, and `part` of the windows lack the good one. */
const scraped = (part: number): Readonly<Record<string, WorldStory>> => ({
  'N38: one of two pods twice as slow, and the other one missed now and then': ofWorld(
    missing(timed({ pods: SOME, draw: logNormal(0.5), slowness: onePod('treatment', 2) }), 'treatment', part),
    ...([LATENCY, inBuckets, HARMLESS] as const),
  ),
  'N38: one of two pods with 4 % errors, and the other one missed now and then': ofWorld(
    missing(failing(SOME, badPod, alone), 'treatment', part),
    ...([ERRORS, asEvents, HARMLESS] as const),
  ),
  'N38: at M, one of two pods of the source twice as slow, and the other one missed now and then': ofWorld(
    missing(
      timed({ pods: [2, 2], draw: logNormal(0.5), slowness: onePod('control', 2, forkBy(1.25)) }),
      ...(['control', part] as const),
    ),
    ...([LATENCY, inBuckets, AT_THE_LIMIT] as const),
  ),
})
const badPod = onePod('treatment', 8, () => 0.005)
const N38: Readonly<Record<string, WorldStory>> = {
  'N38: one of two pods 1.5 times as slow': latency({ slowness: onePod('treatment', 1.5) }, HARMLESS),
  'N38: one of two pods twice as slow': latency({ slowness: onePod('treatment', 2) }, HARMLESS),
  'N38: one of two pods twice as slow, single times': latency(
    { slowness: onePod('treatment', 2), each: () => 20 },
    HARMLESS,
    oneByOne,
  ),
  'N38: one of four pods twice as slow': latency({ pods: MANY, slowness: onePod('treatment', 2) }, HARMLESS),
  'N38: one of all pods twice as slow': latency({ slowness: anywhere(SOME, 2) }, HARMLESS),
  'N38: one of two pods with 4 % errors': ofWorld(failing(SOME, badPod, alone), ERRORS, asEvents, HARMLESS),
  ...scraped(0.02),
  'N38: at M, and one pod of the source twice as slow': latency(
    { slowness: onePod('control', 2, forkBy(1.25)) },
    AT_THE_LIMIT,
  ),
  'N38: errors at M, and one pod of the source with 10 %': ofWorld(
    failing(
      SOME,
      onePod('control', 10, (pod) => (isFork(pod) ? 0.02 : 0.01)),
      alone,
    ),
    ...([ERRORS, asEvents, AT_THE_LIMIT] as const),
  ),
}

const TOLERATED = [0.024, 0.02] as const
const N39: Readonly<Record<string, WorldStory>> = {
  'N39: bursts of 10, 1 beside 6': errors(FEW, TOLERATED, inBursts(10), HARMLESS),
  'N39: bursts of 10': errors(SOME, TOLERATED, inBursts(10), HARMLESS),
  'N39: bursts of 10, 4 beside 10': errors(MANY, TOLERATED, inBursts(10), HARMLESS),
  'N39: bursts of 50': errors(SOME, TOLERATED, inBursts(50), HARMLESS),
  'N39: bursts of 50, 4 beside 10': errors(MANY, TOLERATED, inBursts(50), HARMLESS),
  'N39: retries at the same pod': errors(SOME, TOLERATED, withRetries, HARMLESS),
  'N39: outages of pods for four windows': errors(SOME, TOLERATED, inOutages, { ...HARMLESS, atMost: 0.12 }),
  'N39: outages of pods for four windows, 4 beside 10': errors(MANY, TOLERATED, inOutages, {
    ...HARMLESS,
    atMost: 0.12,
  }),
  'N39: outages in which a pod completes few requests, 1 beside 10': errors(
    ...([[1, 10], [0.002, 0.002], inTimeouts, HARMLESS] as const),
  ),
  'N39: outages in which a pod completes few requests': errors(SOME, [0.002, 0.002], inTimeouts, HARMLESS),
  'errors at M': errors(SOME, [0.04, 0.02], alone, AT_THE_LIMIT),
  'N39: errors at M in bursts of 10': errors(SOME, [0.04, 0.02], inBursts(10), AT_THE_LIMIT),
}

const loops = (perHour: number, pods: PodCounts) =>
  restarting(
    pods,
    inLoops(() => perHour),
    SECONDS,
  )
const single = (perHour: number, pods: PodCounts) =>
  restarting(
    pods,
    inLoops(() => perHour, 1),
    SECONDS,
  )
const N40: Readonly<Record<string, WorldStory>> = {
  'restarts of equal versions, 1 beside 1': restarts(single(12, [1, 1]), HARMLESS),
  'restarts of equal versions, 1 beside 4': restarts(single(12, [1, 4]), HARMLESS),
  'rare restarts of equal versions, 2 beside 8': restarts(single(1, [2, 8]), HARMLESS),
  'N40: crash loops in both versions, 1 beside 4': restarts(loops(2, [1, 4]), HARMLESS),
  'N40: crash loops in both versions, 2 beside 8': restarts(loops(2, [2, 8]), HARMLESS),
  'N40: crash loops in both versions, 4 beside 4': restarts(loops(1, [4, 4]), HARMLESS),
  'N40: one of two pods restarts all the time': restarts(restarting(SOME, always, SECONDS), { ...FAILS, within: 20 }),
}

/** A cache that fills in ten minutes makes a pod twice as slow at first. */
const cold = ({ window }: WorldPod) => 1 + Math.exp(-window / 10)
/** All pods are new after each two windows, up to the last generation, which stays. */
const LAST = 12
const generation = ({ window }: WorldPod) => Math.min(LAST, window >> 1)
const replaced = (slowness: (pod: WorldPod) => number) => ({
  nameOf: (pod: WorldPod) => `${pod.arm}-${generation(pod)}-${pod.index}`,
  slowness: (pod: WorldPod) => (generation(pod) === LAST ? slowness(pod) : 1),
})
/** Probes of each pod, and pods of one version that get a quarter of the requests of the others. */
const probed = (few: WorldPod['arm']) => ({ each: ({ arm }: WorldPod) => (arm === few ? 15 : 60), probes: 10 })

const OTHERS: Readonly<Record<string, WorldStory>> = {
  'N41: twin and fork fill their caches': ofWorld(
    timed({ pods: [2, 2], draw: logNormal(0.5), slowness: cold }),
    LATENCY,
    inBuckets,
    HARMLESS,
  ),
  'N42: many rollouts, and then one slow pod of two': latency(replaced(onePod('treatment', 2)), HARMLESS),
  'N42: many rollouts, and then a fork twice as slow': latency(replaced(forkBy(2)), {
    ...FAILS,
    within: 2 * LAST + 20,
  }),
  'N43: at M, coarse and wide (σ 2)': latency({ slowness: forkBy(1.25), draw: logNormal(2) }, AT_THE_LIMIT),
  'N44: probes, and a source with little traffic a pod': latency(probed('control'), HARMLESS),
  'N44: probes, and a fork with little traffic a pod that is at M': latency(
    { ...probed('treatment'), slowness: forkBy(1.25) },
    AT_THE_LIMIT,
  ),
  'N44: probes, and a source with little traffic a pod, stratified': byRoute(probed('control'), HARMLESS),
  'N44: probes, and a fork with little traffic a pod that is at M, stratified': byRoute(
    { ...probed('treatment'), slowness: forkBy(1.25) },
    AT_THE_LIMIT,
  ),
  ...Object.fromEntries(
    (['treatment', 'control'] as const).flatMap((few) => [
      [`N44: probes, little traffic of the ${few}, +50 %`, latency({ ...probed(few), slowness: forkBy(1.5) }, FAILS)],
      [
        `N44: probes, little traffic of the ${few}, +50 %, stratified`,
        byRoute({ ...probed(few), slowness: forkBy(1.5) }, FAILS),
      ],
      [`N44: probes, little traffic of the ${few}, an equal fork`, latency(probed(few), PASSES)],
      [`N44: probes, little traffic of the ${few}, an equal fork, stratified`, byRoute(probed(few), PASSES)],
    ]),
  ),
  ...Object.fromEntries(
    ['prometheus_replica', 'ha_member'].map((label) => [
      `N45: two scrapers, told apart by ${label}`,
      {
        ...HARMLESS,
        of: 'times',
        begin: (seed: number) =>
          judgeOf(
            timed({ pods: [2, 2], draw: logNormal(0.8), slowness: forkBy(1.1), nameOf }),
            LATENCY,
            twiceScraped(label)(),
          )(seed),
      } as const,
    ]),
  ),
}
/** As `windowQuery` names them. */
const nameOf = ({ arm, index }: WorldPod) => `cart-${arm === 'treatment' ? 'exp-' : ''}${'ab'[index]}`

const each = (make: (pods: PodCounts) => WorldStory, name: string): Readonly<Record<string, WorldStory>> =>
  Object.fromEntries([FEW, SOME, MANY].map((pods) => [`${name}, ${pods[0]} beside ${pods[1]}`, make(pods)]))

const POWER: Readonly<Record<string, WorldStory>> = {
  ...each((pods) => errors(pods, [0.02, 0.005], alone, { ...FAILS, within: 13 }), 'errors 0.5 → 2 %'),
  ...each((pods) => errors(pods, [0.02, 0.01], alone, { ...FAILS, within: 22 }), 'errors 1 → 2 %'),
  ...each((pods) => errors(pods, [0.5, 0.005], alone, { ...FAILS, within: 6 }), 'errors 0.5 → 50 %'),
  ...each((pods) => errors(pods, [0.005, 0.005], alone, PASSES), 'errors, an equal fork'),
  ...each((pods) => errors(pods, [0.02, 0.02], alone, PASSES), 'errors of 2 %, an equal fork'),
  ...each((pods) => latency({ pods, slowness: forkBy(1.5) }, FAILS), '+50 %, buckets'),
  ...each(
    (pods) => latency({ pods, slowness: forkBy(1.5), each: () => 10, draw: logNormal(1) }, FAILS, oneByOne),
    '+50 %, σ 1, single times',
  ),
  ...each((pods) => latency({ pods }, PASSES), 'an equal fork, buckets'),
  ...each((pods) => latency({ pods, each: () => 10 }, PASSES, oneByOne), 'an equal fork, single times'),
}

/** Each story by its title. */
export const WORLD_STORIES: Readonly<Record<string, WorldStory>> = {
  ...RIGHT,
  ...N38,
  ...N39,
  ...N40,
  ...OTHERS,
  ...POWER,
}
