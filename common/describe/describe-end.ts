import { expiresAt } from '../api/expiry.ts'
import type { Facts } from '../facts/facts.ts'
import { expiryMessage, toMinutes } from '../plan/lifecycle.ts'
import { hasExpired } from '../run-state/run.ts'
import { duration } from '../text/duration.ts'

/** When the experiment expires, if it does. */
export function endLines(facts: Facts): readonly string[] {
  const { experiment, now } = facts
  const end = expiresAt(experiment)
  if (end === undefined) return []
  const { ttlSeconds = 0 } = experiment.spec
  const ageS = Math.floor((now.getTime() - Date.parse(experiment.metadata.creationTimestamp ?? '')) / 1_000)
  const leftS = ttlSeconds - (ageS < 2 ? 0 : ageS) // a new experiment has all its time
  if (leftS <= 0) return [hasExpired(facts) ? expiryMessage(experiment) : 'removed when its promotion is over']
  return [`removed ${toMinutes(end)} (in ${duration(leftS)})`]
}
