import type { AnalysisSpec } from '../../api/analysis/analysis.ts'
import { analysisWithDefaults, type CompleteAnalysis, metricWithDefaults } from '../../api/analysis/defaults.ts'
import { sha256Of, WHOLE } from '../../json/canonical.ts'
import type { AnalysisRun } from '../kinds/run.ts'

/** What makes an analysis the same question: the fork, its source, and `spec.analysis` without times and actions. */
interface SubjectInput {
  /** of the experiment */
  readonly uid: string
  /** the hashes of the derived fork without its replicas */
  readonly derivation: { readonly short: string; readonly whole: string }
  /** of the source */
  readonly source: { readonly uid: string; readonly templateHash: string }
  readonly analysis: AnalysisSpec
}

const DIGITS = 10

/** A question, by two hashes: `subject` is in the names of analysis runs, and only `whole` tells questions apart. */
export interface Subject {
  /** ten hex digits */
  readonly subject: string
  readonly whole: string
}

/**
 * The hashes of the question of an analysis. They do not depend on replicas, weights, times or actions. A field that is
 * absent and one that has its default give the same hashes. The short one is of the short hash of the fork, as it
 * always was: with another one every stored question would begin again.
 */
export function subjectOf({ uid, derivation, source, analysis }: SubjectInput): Subject {
  const { templates, metrics, control, minSamples, alpha, beta, attempt } = analysisWithDefaults(analysis)
  const subjectFields = {
    templates: templates.map(({ scope = 'Namespace', args = {}, ...use }) => ({ ...use, scope, args })),
    metrics: metrics.map(metricWithDefaults),
    ...{ control, minSamples, alpha, beta, attempt },
  }
  const hashOf = (of: string, digits: number) =>
    sha256Of({ uid, derivation: of, control: source, asked: subjectFields }, digits)
  return { subject: hashOf(derivation.short, DIGITS), whole: hashOf(derivation.whole, WHOLE) }
}

/**
 * The whole hash of the question of a run; undefined if an earlier version made it and this version has not
 * added it yet. The `spec` of a run never changes, so it is added to the status.
 */
export const wholeSubjectOf = ({ spec, status }: Pick<AnalysisRun, 'spec' | 'status'>): string | undefined =>
  spec.wholeSubject ?? status?.wholeSubject

/** The fields of an analysis that may change while it goes on. */
export type Times = Pick<
  CompleteAnalysis,
  'intervalSeconds' | 'warmUpSeconds' | 'maxSeconds' | 'noDataSeconds' | 'onTimeout' | 'onNoData' | 'continueAfterPass'
>

/** How many seconds later the first window of a subject begins, so that many analyses do not ask at the same time. */
export const offsetSeconds = (subject: string, intervalSeconds: number): number =>
  Number.parseInt(subject, 16) % intervalSeconds
