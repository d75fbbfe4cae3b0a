import { KUBERNETES } from '../../api/analysis/metric.ts'
import { wholeClauses } from '../../text/fitted.ts'
import type { AnalysisRun, AnalysisRunStatus, RunMetric } from '../kinds/run.ts'
import { withoutRestarts } from './health.ts'
import { withTransitionTime } from './look.ts'
import { MOST_CHARACTERS } from './message.ts'
import type { Times } from './subject.ts'
import { actionOf, type Finding } from './verdict.ts'

/** The status of a run before its first look. */
const NO_LOOK: AnalysisRunStatus = {
  verdict: 'Wait',
  reason: 'NoPods',
  message: '',
  since: '',
  looks: 0,
  requests: 0,
  windows: { counted: 0, empty: 0, unusable: 0, skipped: 0 },
}

/** The status of a run of an earlier version with the whole hash of its question. What the run has found stays. */
export const statusWithWholeSubject = (
  { status }: Pick<AnalysisRun, 'status'>,
  wholeSubject: string,
  now: Date,
): AnalysisRunStatus => ({
  ...(status ?? { ...NO_LOOK, message: 'waiting for the fork', since: now.toISOString() }),
  wholeSubject,
})

/** The status of a run that ends by a decision, not by a look. Its evidence stays. */
function endedBy({ status }: AnalysisRun, finding: Finding, message: string, now: Date): AnalysisRunStatus {
  const { nextLookAt: _none, ...former } = status ?? NO_LOOK
  const ending = { message: wholeClauses(MOST_CHARACTERS, message), finishedAt: now.toISOString() }
  return { ...former, ...withTransitionTime(status, finding, now.getTime()), ...ending }
}

/** The verdict and the message of an aborted run. */
export const ABORTED: Pick<AnalysisRunStatus, 'verdict' | 'reason' | 'message'> = {
  verdict: 'Aborted',
  reason: 'Aborted',
  message: 'another question is asked, or the experiment has ended',
}

/**
 * The status of a run that ends because its question was replaced, because the experiment has ended, or because the
 * question cannot be answered now (`why`). A run that had passed and only watched for harm since then keeps its Pass.
 */
export function abortedStatus(run: AnalysisRun, now: Date, why = ABORTED.message): AnalysisRunStatus {
  const { verdict, reason, message } = run.status?.verdict === 'Pass' ? run.status : { ...ABORTED, message: why }
  return endedBy(run, { verdict, reason }, message, now)
}

/**
 * The status of a run that is resumed, because its question is asked again. Its evidence and a Pass stay. What happened
 * in between does not count, because there was another fork. The time in between does not count either.
 */
export function resumedStatus(
  { spec, status = NO_LOOK }: Pick<AnalysisRun, 'spec' | 'status'>,
  now: Date,
): AnalysisRunStatus {
  const { finishedAt, startedAt, ...former } = status
  const at = now.toISOString()
  const ofKubernetes = new Set(spec.metrics.flatMap(({ name, provider }) => (provider === KUBERNETES ? [name] : [])))
  const pauseMs = finishedAt === undefined ? 0 : now.getTime() - Date.parse(finishedAt)
  const waiting = withTransitionTime(status, { verdict: 'Wait', reason: 'Measuring' }, now.getTime())
  return {
    ...former,
    ...(startedAt === undefined ? {} : { startedAt: new Date(Date.parse(startedAt) + pauseMs).toISOString() }),
    ...(status.verdict === 'Pass' ? {} : { ...waiting, message: 'the same question is asked again' }),
    nextLookAt: at,
    ...(former.metrics
      ? {
          metrics: former.metrics.map((metric) => ({
            ...(ofKubernetes.has(metric.name) ? withoutPods(metric) : metric),
            since: at,
            ...(startedAt === undefined ? {} : { windowEnd: at }),
          })),
        }
      : {}),
  }
}

/** The metric without the numbers of restarts that a Health metric remembers of each pod. */
const withoutPods = ({ memory, ...metric }: RunMetric): RunMetric =>
  memory ? { ...metric, memory: { ...memory, numbers: withoutRestarts(memory.numbers) } } : metric

/** The status of a run whose fork did not get ready, as `message` says: that is harm, whatever was measured. */
export function notHealthyStatus(run: AnalysisRun, times: Times, now: Date, message: string): AnalysisRunStatus {
  const finding: Finding = { verdict: 'Fail', reason: 'NotHealthy' }
  const action = actionOf(finding, times)
  const ended = endedBy(run, finding, message, now)
  return { ...ended, ...(action ? { action } : {}) }
}
