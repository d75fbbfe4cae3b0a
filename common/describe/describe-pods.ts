import type { DesiredFork } from '../assess/assess.ts'
import type { Facts } from '../facts/facts.ts'
import type { Plan } from '../outcome/conclusion.ts'
import { type MostPods, podPeak, podsAt } from '../situation/most-pods.ts'
import { count } from '../text/count.ts'
import { optionalClause, type Part } from '../text/fitted.ts'
import { shortName } from '../text/short-name.ts'

/** The most pods at one moment, and whose they are; none while the source is not known. */
export function podLines(facts: Facts, { conclusion }: Plan, { fork, run }: DesiredFork): readonly (readonly Part[])[] {
  const peak = podPeak(facts, fork, conclusion.run ?? run())
  if (!peak) return []
  const all = podsAt(peak)
  const parts = [
    ...partOf(peak.source, shortName(facts.experiment.spec.sourceRef)),
    ...partOf(peak.fork, 'the fork'),
    ...partOf(peak.twin, 'the twin'),
  ]
  if (parts.length === 0) return []
  const { counted } = peak
  const ending = counted > all ? [optionalClause(`; a quota counts up to ${counted} while former pods end`)] : []
  return [[`at most ${count(all, 'pod')} at one moment`, optionalClause(`: ${parts.join(', ')}`), ...ending]]
}

const partOf = ({ replicas, surge }: MostPods, of: string): readonly string[] =>
  replicas === 0 ? [] : [`${replicas} of ${of}${surge > 0 ? ` and ${surge} of its surge` : ''}`]
