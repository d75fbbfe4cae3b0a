import type { AnalysisRun } from '../kinds/run.ts'
import { isFinal } from './look.ts'
import type { Times } from './subject.ts'

/** So long the record of an ended run is kept: seven days. */
const RECORD_MS = 7 * 86_400_000
/** So many records an experiment has at most. */
const MOST_RECORDS = 10

const endMs = ({ status }: AnalysisRun): number => Date.parse(status?.finishedAt ?? '')

/** Whether a run has ended, by a verdict or because another question is asked. */
export const hasEnded = ({ status }: AnalysisRun): boolean => status?.finishedAt !== undefined

/** Whether a run ended only because its question was not asked any more. It can be taken up again. */
export const isInterrupted = (run: AnalysisRun, times: Pick<Times, 'continueAfterPass'>): boolean =>
  hasEnded(run) && (run.status?.verdict === 'Aborted' || !isFinal(run.status, times))

/** Which of these ended runs are too old to be kept, or more than `most`: the oldest. */
export const expiredRecords = (ended: readonly AnalysisRun[], now: Date, most = MOST_RECORDS): readonly AnalysisRun[] =>
  ended
    .toSorted((a, b) => endMs(b) - endMs(a))
    .filter((run, index) => index >= most || now.getTime() - endMs(run) > RECORD_MS)
