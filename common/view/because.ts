import type { KubeObject } from '../api/object.ts'
import { isReason } from '../api/reasons.ts'
import type { Condition, ExperimentDeployment } from '../api/types.ts'
import { isEcho } from '../fork/pod-trouble.ts'
import type { ViewEvent } from './events.ts'
import type { State, ViewBecause } from './experiment-view.ts'
import { textIn, timeIn } from './members.ts'
import { isReadyPod, whyUnscheduled, worstOf } from './pods.ts'
import { REMEDIES } from './remedies.ts'
import { conditionOf, stateOf } from './state.ts'
import { type Text, text } from './text.ts'

/** What a person can do about a reason, without markup; empty for a reason of another version. */
export const remedyOf = (reason: string): Text => text(isReason(reason) ? REMEDIES[reason].replaceAll('`', '') : '')

/** The condition that makes a state. */
const CONDITIONS: Partial<Record<State, Condition['type']>> = { Stalled: 'Stalled', Paused: 'Paused' }

const UNSEEN = 'no controller has told anything about this experiment yet'

/** Why an experiment is in its state, as its status says. */
export function reasonOf(experiment: ExperimentDeployment): Omit<ViewBecause, 'found'> {
  const condition = conditionOf(experiment, CONDITIONS[stateOf(experiment)] ?? 'Ready')
  const reason = condition?.reason ?? 'Pending'
  const since = timeIn(condition?.lastTransitionTime)
  return {
    reason: text(reason),
    message: text(condition?.message ?? UNSEEN),
    ...(since === undefined ? {} : { since }),
    remedy: remedyOf(reason),
  }
}

/** What else tells why the pods of a fork are not ready. */
interface Evidence {
  readonly pods: readonly KubeObject[]
  /** newest first */
  readonly events: readonly ViewEvent[]
  /** of the fork; undefined: there is none */
  readonly fork: string | undefined
  /** of the experiment */
  readonly experiment: string
  /** what the status says already: an Event whose message is in one of these says nothing else */
  readonly told: readonly string[]
}

/** The worst container, why a pod has no node, and the newest Warning about a pod, the fork and the experiment. */
export function found({ pods, events, fork, experiment, told }: Evidence): readonly Text[] {
  const unready = pods.filter((pod) => !isReadyPod(pod))
  const [worst] = unready.flatMap((pod) => worstOf(pod) ?? []).toSorted((a, b) => b.weight - a.weight)
  const waiting = unready.find((pod) => whyUnscheduled(pod) !== undefined)
  const uids = new Set<string>(unready.map((pod) => textIn(pod, 'metadata', 'uid')))
  const warnings = events.filter(({ isWarning }) => isWarning)
  const isTold = ({ message }: ViewEvent) => told.some((each) => each.includes(message.replace(/\.$/, '')))
  const newest = (isAbout: (event: ViewEvent) => boolean): readonly Text[] => {
    const about = warnings.filter(isAbout)
    const event = about.find(({ message }) => !isEcho(message)) ?? about[0]
    return event && !isTold(event) ? [text(`${event.about}: ${event.reason}: ${event.message}`)] : []
  }
  return [
    ...(worst ? [worst.text] : []),
    ...(waiting ? [text(`pod/${textIn(waiting, 'metadata', 'name')}: ${whyUnscheduled(waiting)}`)] : []),
    ...newest(({ uid }) => uids.has(uid)),
    ...newest(({ uid }) => uid === fork),
    ...newest(({ uid }) => uid === experiment),
  ]
}
