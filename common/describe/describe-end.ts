import { expiresAt } from '../api/expiry.ts'
import { expiryMessage, toMinutes } from '../plan/lifecycle.ts'
import type { Situation } from '../situation/situation.ts'
import { duration } from '../text/duration.ts'

/** When the experiment expires, if it does. */
export function endLines({ facts, hasExpired }: Situation): readonly string[] {
  const { experiment, now } = facts
  const end = expiresAt(experiment)
  if (end === undefined) return []
  const { ttlSeconds = 0 } = experiment.spec
  const ageS = Math.floor((now.getTime() - Date.parse(experiment.metadata.creationTimestamp ?? '')) / 1_000)
  const leftS = ttlSeconds - (ageS < 2 ? 0 : ageS) // a new experiment has all its time
  if (leftS <= 0) return [hasExpired ? expiryMessage(experiment) : 'removed when its promotion is over']
  return [`removed ${toMinutes(end)} (in ${duration(leftS)})`]
}
