import type { AnalysisRun } from '../kinds/run.ts'
import { isFinal } from './look.ts'
import type { Times } from './subject.ts'

/** How long the record of an ended run is kept: seven days. */
const RECORD_MS = 7 * 86_400_000
/** The most records of an experiment. */
const MOST_RECORDS = 10

const endMs = ({ status }: AnalysisRun): number => Date.parse(status?.finishedAt ?? '')

/** Whether a run has ended, by a verdict or because it was aborted. */
export const hasEnded = ({ status }: AnalysisRun): boolean => status?.finishedAt !== undefined

/** Whether a run was ended although its verdict is not final. It can be resumed. */
export const isInterrupted = (run: AnalysisRun, times: Pick<Times, 'continueAfterPass'>): boolean =>
  hasEnded(run) && (run.status?.verdict === 'Aborted' || !isFinal(run.status, times))

/** The ended runs whose records are deleted: those that are too old, and all but the newest `most`. */
export const expiredRecords = (ended: readonly AnalysisRun[], now: Date, most = MOST_RECORDS): readonly AnalysisRun[] =>
  ended
    .toSorted((a, b) => endMs(b) - endMs(a))
    .filter((run, index) => index >= most || now.getTime() - endMs(run) > RECORD_MS)
