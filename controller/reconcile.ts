import { sourceNamespaceOf } from '../common/api/defaults.ts'
import type { Plan } from '../common/outcome/conclusion.ts'
import { plan } from '../common/plan/plan.ts'
import type { Clock } from '../common/program/clock.ts'
import { situationOf } from '../common/situation/situation-of.ts'
import { type ApplyPorts, apply } from './apply/apply.ts'
import { observe } from './observe/observe.ts'
import type { FollowedArms, Ports } from './observe/ports.ts'
import { type Reporter, report } from './report/report.ts'
import { requeue } from './requeue.ts'
import type { Key } from './runtime/queue.ts'
import type { Pass, Requeue } from './runtime/worker.ts'

/** What one pass needs of the cluster. */
export interface PassPorts extends Pick<Pass, 'yielder' | 'yieldToWrites'> {
  readonly ports: Ports
  readonly writer: ApplyPorts
  readonly reporter: Reporter
}

const NO_SERVICES: ReadonlySet<string> = new Set()

/** Makes the function for one pass over one experiment. A pass depends on the present state only. */
export const reconciler =
  ({ ports, writer, reporter, yielder, yieldToWrites }: PassPorts, clock: Clock) =>
  async (key: Key): Promise<Requeue> => {
    const facts = await observe(ports, key, clock())
    if (!facts) return 'never'
    // planning takes the most processor time
    while (yielder.isLong) await yielder.nextTurn()
    const situation = situationOf(facts)
    const planned = plan(situation)
    ports.surroundings.follow(key, sourceNamespaceOf(facts.experiment), planned.services?.() ?? NO_SERVICES)
    ports.analysis?.follow(key, followedArms(planned))
    ports.steps.noteLeaving(key, planned.conclusion.leaving ?? [])
    const result = await apply(writer, planned, facts)
    if (result.is === 'lookAgain') return 'backoff'
    await yieldToWrites() // so that the fork writes of other keys go first under load
    const reportAgainMs = await report(reporter, key, situation, result.conclusion)
    return requeue(situation, result.conclusion, reportAgainMs)
  }

/** The pods that the analysis of the planned fork compares; undefined: it compares none. */
function followedArms({ arms, conclusion }: Plan): FollowedArms | undefined {
  const [found, run] = [arms?.(), conclusion.analysis?.run]
  return found && run !== undefined ? { ...found, run } : undefined
}
