import type { KubeObject } from '../api/object.ts'
import { withOverridePaths } from '../assess/message-paths.ts'
import type { Facts } from '../facts/facts.ts'
import { isUnseen } from '../fork/health.ts'
import { isEqual } from '../json/json.ts'
import { storedSource } from '../situation/source-has.ts'
import { isOfTwin, WRITTEN_OBJECT, type Write } from '../writes/write.ts'
import { type Conclusion, decisionOn, type Plan } from './conclusion.ts'
import { withDecision } from './part.ts'

/** A write that the API server stored. */
interface Stored extends Pick<Plan, 'healthOf'> {
  readonly stored: KubeObject | undefined
  readonly facts: Facts
}

/**
 * Whether an apply left the fork as it was. Then there was nothing to repair: another client had only written what the
 * wanted fork leaves open, as Argo Rollouts writes `resources: {}` into each new template.
 */
export function isUnchanged(stored: KubeObject | undefined, write: Write, { fork }: Facts): boolean {
  if (!stored || fork.is !== 'known' || write.verb !== 'apply' || write.role !== 'fork') return false
  return isEqual(wantedParts(stored), wantedParts(fork.value))
}

const wantedParts = ({ metadata: { labels, annotations, ownerReferences, finalizers }, spec }: KubeObject) => ({
  metadata: { labels, annotations, ownerReferences, finalizers },
  spec,
})

/**
 * What `conclusion` is once `write` is stored: after an apply the health of the stored fork decides. `stored` is
 * undefined after a delete.
 */
export function withStored(conclusion: Conclusion, write: Write, { stored, facts, healthOf }: Stored): Conclusion {
  if (stored && write.role === 'source') return promoted(conclusion, write, stored)
  if (stored && isOfTwin(write)) return { ...conclusion, twin: stored }
  if (!stored || WRITTEN_OBJECT[write.role] !== 'fork') return conclusion
  if (write.verb !== 'apply' || write.role === 'pod' || !healthOf) return { ...conclusion, fork: stored }
  const health = healthOf(stored)
  const isUpdating = isUnseen(health)
  const { reason, message } = isUpdating ? conclusion : health
  const shownMessage = health.is === 'stalled' ? withOverridePaths(message, stored, facts) : message
  const isRepair = write.isRepair && !isUpdating && !isUnchanged(stored, write, facts)
  const repaired = isRepair ? { repaired: conclusion.message } : {}
  const decision = decisionOn(facts.experiment, { ...health, reason, message: shownMessage })
  return { ...withDecision(conclusion, decision), fork: stored, ...repaired }
}

/** The status remembers which version of the source a write made, which may not be what it asked for. */
function promoted(conclusion: Conclusion, write: Write, source: KubeObject): Conclusion {
  const { run } = conclusion
  if (!run?.promotion || run.run.path === 'Abort' || 'subresource' in write) return conclusion
  const stored = storedSource(source)
  const version = run.run.path === 'Undo' ? { restored: stored } : { written: stored }
  return { ...conclusion, run: { ...run, promotion: { ...run.promotion, ...version } } }
}
