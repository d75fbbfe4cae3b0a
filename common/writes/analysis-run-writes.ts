import type { AnalysisRun, AnalysisRunStatus } from '../analysis/kinds/run.ts'
import { abortedStatus } from '../analysis/run/ended.ts'
import { expiredRecords, hasEnded } from '../analysis/run/records.ts'
import { ANALYSIS_RUN } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { JsonObject } from '../json/json.ts'
import type { Write } from './write.ts'

const { apiVersion, kind } = ANALYSIS_RUN

/** A write, and the analysis run that it ends or deletes. */
interface WriteOfRun {
  readonly run: AnalysisRun
  readonly write: Write
}

/**
 * What to write of analysis runs whose experiments are gone: they end, and stay as records for a while, at most ten of
 * an experiment and 200 in a namespace.
 */
export function orphanedRunWrites(runs: readonly AnalysisRun[], now: Date): readonly WriteOfRun[] {
  const ending = runs.filter((run) => !hasEnded(run))
  const ended = runs.filter(hasEnded)
  const ofExperiments = Map.groupBy(ended, ({ spec }) => spec.experiment.uid).values()
  const inNamespaces = Map.groupBy(ended, ({ metadata }) => metadata.namespace).values()
  const old = [
    ...[...ofExperiments].flatMap((records) => expiredRecords(records, now)),
    ...[...inNamespaces].flatMap((records) => expiredRecords(records, now, 200)),
  ]
  return [
    ...ending.map((run) => ({ run, write: statusWrite(run, abortedStatus(run, now)) })),
    ...[...new Set(old)].map((run) => ({ run, write: deletion(run) })),
  ]
}

/** Fields that a status may lose. A merge patch removes only what it names. */
const OPTIONAL = Object.fromEntries(
  ['nextLookAt', 'traffic', 'power', 'action', 'finishedAt', 'startedAt'].map((each) => [each, null]),
)

/** With the version that it was computed from, a late write changes nothing: the API server answers with a conflict. */
export function statusWrite(run: AnalysisRun, status: AnalysisRunStatus): Write {
  const { uid, resourceVersion = '' } = run.metadata
  const patch = { metadata: { uid, resourceVersion }, status: { ...OPTIONAL, ...status } } as unknown as JsonObject
  return { verb: 'patch', role: 'analysisRun', resource: ANALYSIS_RUN, of: objectOf(run), patch, subresource: 'status' }
}

/** Deletes the record of an analysis run. */
export const deletion = (run: AnalysisRun): Write => ({
  verb: 'delete',
  role: 'analysisRun',
  resource: ANALYSIS_RUN,
  of: objectOf(run),
})

const objectOf = ({ metadata: { name, namespace, uid } }: AnalysisRun): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace, uid },
})
