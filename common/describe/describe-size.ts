import { knownValue } from '../api/known.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type Facts, forkAndSource } from '../facts/facts.ts'
import { readyLater } from '../scaling/ready.ts'
import { sizeRecordOf } from '../scaling/record.ts'
import { sizeOf } from '../scaling/size.ts'
import { boundsOf, type SizeBounds, type SizePair } from '../scaling/sizes.ts'
import type { RunState } from '../situation/situation.ts'
import type { RunStep } from '../strategy/compile.ts'
import { forecast } from '../strategy/forecast.ts'
import type { Sizes } from '../strategy/target.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { concernsSource } from '../surroundings/shares.ts'
import type { ServiceView } from '../surroundings/traffic.ts'
import { count } from '../text/count.ts'
import { percent } from '../text/percent.ts'
import { shortNameOf } from '../text/short-name.ts'

/**
 * What it means at the steps from `start` on that the source gets smaller as its fork grows: what an abort costs at
 * most, and whom requests reach before the source is written. None where it keeps its size.
 */
export function sizeLines(steps: readonly RunStep[], sizes: Sizes, start: number): readonly string[] {
  const { inside, source: size } = sizes
  if (!inside || size === 0) return []
  const end = steps.findIndex(({ is }) => is === 'promote') + 1
  const left = forecast(steps.slice(0, end), sizes).slice(start)
  const pairs = left.map(({ pods: fork, reach: { source } }): SizePair => ({ fork, source }))
  const [worst] = pairs.toSorted((one, other) => one.source - other.source)
  const last = pairs.at(-1)
  const share = last && last.fork > 0 ? percent(last.fork, last.fork + last.source) : undefined
  return [
    ...(worst && worst.source < size ? [abortLine(worst, size, inside.bounds)] : []),
    ...(share === undefined ? [] : [`promote: ${share} and more go to the new version before the write`]),
  ]
}

/**
 * What comes first where the source is small because of the experiment, and its run goes back or another one begins:
 * the source gets its pods, and until then its fork is production. `state`: the run after the plan.
 */
export function returnLines({ source, experiment }: Facts, state: RunState | undefined): readonly string[] {
  const object = knownValue(source)?.object
  const { wanted, now } = object ? sizeOf(object) : { wanted: 0, now: 0 }
  if (!object || now >= wanted || sizeRecordOf(object)?.experiment !== experiment.metadata.uid) return []
  const stored = experiment.status?.strategy
  // an edit and a retry each begin another run
  const isAgain = !state || stored?.attempt !== state.run.attempt
  if (!isAgain && state.run.path === 'Forward') return []
  const bounds = boundsOf(wanted, state?.spec.isInsideSource ? state.spec : { maxSurge: '25%', maxUnavailable: 0 })
  const rounds = roundsOf({ fork: wanted - now, source: now }, wanted, bounds)
  const when = state?.steps[state.run.stepIndex]?.is === 'restore' ? 'then' : 'first'
  const gets = `${shortNameOf(object)} gets ${count(wanted - now, 'new pod')}, in ${count(rounds, 'round')}`
  return [`${when} ${gets}; until then the fork keeps serving as it is`]
}

function abortLine(from: SizePair, size: number, bounds: SizeBounds): string {
  const pods = count(size - from.source, 'new pod')
  return `an abort needs ${pods} of the source, in ${count(roundsOf(from, size, bounds), 'round')}`
}

/**
 * How often the source grows on the way back, if every pod is available as soon as it may be. At first it gets as many
 * pods as there is room for, and then as many as the fork can give up at once.
 */
export function roundsOf({ fork, source }: SizePair, size: number, { most, least }: SizeBounds): number {
  const missing = size - source
  const room = Math.max(0, Math.min(missing, most - fork - source))
  return (room > 0 ? 1 : 0) + Math.ceil((missing - room) / (most - least))
}

/** The `ready` endpoints of others that `service` keeps when the source has the size of the step. */
export function endpointsLater(ready: number, service: ServiceView, facts: Facts, { fork, run }: DesiredFork): number {
  const pair = forkAndSource(facts, fork)
  const later = run()?.target?.source
  if (later === undefined || !pair?.source || !concernsSource(service, trafficInput(pair))) return ready
  return readyLater(ready, { now: sizeOf(pair.source).now, later })
}
