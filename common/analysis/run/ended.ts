import type { AnalysisRun, RunStatus } from '../kinds/run.ts'
import { toldSince } from './look.ts'
import type { Times } from './subject.ts'
import { actionOf, type Finding } from './verdict.ts'

/** The status of a run that nobody has looked at. */
const NO_LOOK: RunStatus = {
  verdict: 'Wait',
  reason: 'NoPods',
  message: '',
  since: '',
  looks: 0,
  requests: 0,
  windows: { counted: 0, empty: 0, unusable: 0, skipped: 0 },
}

/** The status of a run that ends by a decision, not by a look. Its evidence stays. */
function endedBy({ status }: AnalysisRun, finding: Finding, message: string, now: Date): RunStatus {
  const { nextLookAt: _none, ...former } = status ?? NO_LOOK
  return { ...former, ...toldSince(status, finding, now.getTime()), message, finishedAt: now.toISOString() }
}

/** The status of a run whose question nobody asks any more. A Pass after which it went on stays one. */
export function abortedStatus(run: AnalysisRun, now: Date): RunStatus {
  const { status } = run
  if (status?.verdict === 'Pass') return endedBy(run, status, status.message, now)
  const message = 'another question is asked, or the experiment has ended'
  return endedBy(run, { verdict: 'Aborted', reason: 'Aborted' }, message, now)
}

/**
 * The status of a run whose question is asked again. Its evidence stays, and what happened meanwhile does not count:
 * that was another fork. Nor does the time: its clock stood still.
 */
export function resumedStatus({ status = NO_LOOK }: AnalysisRun, now: Date): RunStatus {
  const { finishedAt, action: _action, startedAt, ...former } = status
  const at = now.toISOString()
  const pauseMs = finishedAt === undefined ? 0 : now.getTime() - Date.parse(finishedAt)
  return {
    ...former,
    ...(startedAt === undefined ? {} : { startedAt: new Date(Date.parse(startedAt) + pauseMs).toISOString() }),
    ...toldSince(status, { verdict: 'Wait', reason: 'Measuring' }, now.getTime()),
    message: 'the same question is asked again',
    nextLookAt: at,
    ...(former.metrics
      ? {
          metrics: former.metrics.map((metric) => ({
            ...metric,
            since: at,
            ...(startedAt === undefined ? {} : { windowEnd: at }),
          })),
        }
      : {}),
  }
}

/** The status of a run whose fork did not get ready, as `message` says: that is harm, whatever was measured. */
export function notHealthyStatus(run: AnalysisRun, times: Times, now: Date, message: string): RunStatus {
  const action = actionOf('Fail', times)
  const ended = endedBy(run, { verdict: 'Fail', reason: 'NotHealthy' }, message, now)
  return { ...ended, ...(action ? { action } : {}) }
}
