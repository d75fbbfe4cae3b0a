import type { ExperimentDeployment } from '../api/types.ts'
import type { ViewEvent } from './events.ts'
import type { ViewMoment } from './experiment-view.ts'
import { timeAt, timeIn } from './members.ts'
import { text } from './text.ts'

const MAX_MOMENTS = 200

/**
 * What happened, newest first, at most 200: the creation, the last change of each condition, the last command, and the
 * Events, which live for an hour.
 */
export const timelineOf = (experiment: ExperimentDeployment, events: readonly ViewEvent[]): readonly ViewMoment[] =>
  [...creation(experiment), ...transitions(experiment), ...command(experiment), ...events.map(ofEvent)]
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, MAX_MOMENTS)

function creation(experiment: ExperimentDeployment): readonly ViewMoment[] {
  const at = timeAt(experiment, 'metadata', 'creationTimestamp')
  return at === undefined ? [] : [{ at, reason: text('Created'), message: text('the experiment was created') }]
}

const transitions = ({ status }: ExperimentDeployment): readonly ViewMoment[] =>
  (status?.conditions ?? []).slice(0, MAX_MOMENTS).flatMap(({ type, status, reason, message, lastTransitionTime }) => {
    const at = timeIn(lastTransitionTime)
    return at === undefined ? [] : [{ at, reason: text(reason), message: text(`${type} ${status}: ${message}`) }]
  })

function command({ status }: ExperimentDeployment): readonly ViewMoment[] {
  const { verb, at: given, by, answer, message } = status?.strategy?.command ?? {}
  const at = timeIn(given)
  if (at === undefined || verb === undefined) return []
  return [
    {
      at,
      reason: text(`${answer}`),
      message: text(`${verb}: ${message}`),
      ...(by === undefined ? {} : { by: text(by) }),
    },
  ]
}

const ofEvent = ({ at, about, reason, message, by, count }: ViewEvent): ViewMoment => ({
  at,
  reason,
  message: text(`${about}: ${message}`),
  ...(by === undefined ? {} : { by }),
  ...(count === undefined ? {} : { count }),
})
