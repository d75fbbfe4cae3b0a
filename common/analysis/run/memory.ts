import type { Metric } from '../../api/analysis/metric.ts'
import type { RunMetric } from '../kinds/run.ts'
import type { MetricEngine } from '../metrics/metric-engine.ts'
import { engineOf } from '../metrics/registry.ts'
import { CRASH_LOOPS } from './health.ts'
import { TRAFFIC_DIFFERS } from './traffic.ts'

type Kind = Pick<Metric, 'kind' | 'prometheus'>

const versionOf = (of: Kind): MetricEngine['version'] => engineOf(of).version

/** Whether what the metric remembers is of the version of its kind. */
const isReadable = ({ state, memory }: Pick<RunMetric, 'state' | 'memory'>, version: MetricEngine['version']) =>
  version === 1 ? memory === undefined : state === undefined && memory?.version === version

/** The numbers that the engine of a metric remembers; empty before the first window, and if another version wrote. */
export function memoryOf(metric: Pick<RunMetric, 'state' | 'memory'>, of: Kind): readonly number[] {
  const version = versionOf(of)
  if (!isReadable(metric, version)) return []
  return (version === 1 ? metric.state : metric.memory?.numbers) ?? []
}

/**
 * The members of a metric that remember `numbers`. Numbers of a later version are in a member of their own, so that an
 * earlier version of the controller, which does not know it, begins without evidence.
 */
export function withMemory(
  { memory }: Pick<RunMetric, 'memory'>,
  of: Kind,
  numbers: readonly number[],
): Pick<RunMetric, 'state' | 'memory'> {
  const version = versionOf(of)
  if (version === 1) return { state: numbers }
  const { since } = memory ?? {}
  return { memory: { version, numbers, ...(since === undefined ? {} : { since }) } }
}

/** What was found in evidence. Other reasons say that there is none, or none yet: they last as long as they did. */
const FOUND: readonly string[] = ['Passed', 'HarmFound', 'PodsDiffer', 'ControlsDiffer', CRASH_LOOPS, TRAFFIC_DIFFERS]

/**
 * `metric` without the evidence of another version of the controller: its numbers mean something else. The clock goes
 * on, and `since` says from when on windows count.
 */
export function withoutForeignEvidence(metric: RunMetric, of: Kind, nowMs: number): RunMetric {
  const version = versionOf(of)
  const isCounted = metric.samples !== undefined || (metric.state ?? metric.memory) !== undefined
  if (!isCounted || isReadable(metric, version)) return metric
  const { name, reason, since, windowEnd, hasSeries, trace, samples } = metric
  const at = new Date(nowMs).toISOString()
  const isFound = FOUND.includes(reason)
  return {
    ...{ name, verdict: 'Wait', reason: isFound ? 'Measuring' : reason, since: isFound ? at : since },
    ...(windowEnd === undefined ? {} : { windowEnd }),
    ...(hasSeries || samples ? { hasSeries: true } : {}), // what was counted were series
    ...(trace === undefined ? {} : { trace }),
    memory: { version, numbers: [], since: at },
  }
}
