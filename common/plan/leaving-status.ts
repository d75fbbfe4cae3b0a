import { conditionsFrom } from '../api/conditions.ts'
import type { ExperimentDeploymentStatus } from '../api/types.ts'
import type { Facts } from '../facts/facts.ts'
import { escapeTexts } from '../json/escape.ts'
import { type Conclusion, heldWarnings } from '../outcome/conclusion.ts'
import { withScaled } from '../run/run-status.ts'
import { statusCount } from '../workload/status.ts'
import { keepersOf } from './lifecycle.ts'
import { columns, forkFacts, summary } from './status.ts'

/** The conditions that say how an experiment is. All others say what became of it, and stay. */
const RENEWED: ReadonlySet<string> = new Set(['Ready', 'Progressing', 'Stalled', 'TrafficShared'])

/**
 * The status of an experiment that is being deleted: what that waits for, and the pods that its fork still has. All
 * else is not read any more, so shares are gone, and what became of its run and its analysis stays as it is stored.
 * Undefined where the experiment may be gone after the pass.
 */
export function leavingStatus(facts: Facts, conclusion: Conclusion): ExperimentDeploymentStatus | undefined {
  const { experiment, now } = facts
  const { metadata, status: before = {} } = experiment
  const { share: _share, services: _services, warnings: _warnings, pods: _pods, ...kept } = before
  if (conclusion.is === 'unready' && keepersOf(experiment).length === 0) return undefined
  const stored = before.conditions ?? []
  const strategy = before.strategy && withScaled(before.strategy, conclusion.scaled)
  const warnings = heldWarnings(conclusion)
  const count = (of: string) => (conclusion.fork ? statusCount(conclusion.fork, of) : 0)
  return escapeTexts({
    ...kept,
    ...(strategy ? { strategy } : {}),
    observedGeneration: metadata.generation,
    conditions: [
      ...conditionsFrom(summary(conclusion), stored, { observedGeneration: metadata.generation, now }),
      ...stored.filter(({ type }) => !RENEWED.has(type)),
    ],
    replicas: count('replicas'),
    readyReplicas: count('readyReplicas'),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...forkFacts(facts, conclusion),
    ...columns(facts, conclusion),
  })
}
