import type { AnalysisSpec } from '../../api/analysis/analysis.ts'
import { analysisWithDefaults, type CompleteAnalysis, metricWithDefaults } from '../../api/analysis/defaults.ts'
import { sha256Of } from '../../json/canonical.ts'

/** What makes an analysis the same question: the fork, its source, and `spec.analysis` without times and actions. */
interface SubjectInput {
  /** of the experiment */
  readonly uid: string
  /** a hash of the derived fork without its replicas */
  readonly derivation: string
  /** of the source */
  readonly source: { readonly uid: string; readonly templateHash: string }
  readonly analysis: AnalysisSpec
}

const DIGITS = 10

/**
 * The hash of the question of an analysis: ten hex digits. It does not depend on replicas, weights, times or actions. A
 * field that is absent and one that has its default give the same hash.
 */
export function subjectOf({ uid, derivation, source, analysis }: SubjectInput): string {
  const { templates, metrics, control, minSamples, alpha, beta, attempt } = analysisWithDefaults(analysis)
  const subjectFields = {
    templates: templates.map(({ scope = 'Namespace', args = {}, ...use }) => ({ ...use, scope, args })),
    metrics: metrics.map(metricWithDefaults),
    ...{ control, minSamples, alpha, beta, attempt },
  }
  return sha256Of({ uid, derivation, control: source, asked: subjectFields }, DIGITS)
}

/** The fields of an analysis that may change while it goes on. */
export type Times = Pick<
  CompleteAnalysis,
  'intervalSeconds' | 'warmUpSeconds' | 'maxSeconds' | 'noDataSeconds' | 'onTimeout' | 'onNoData' | 'continueAfterPass'
>

/** How many seconds later the first window of a subject begins, so that many analyses do not ask at the same time. */
export const offsetSeconds = (subject: string, intervalSeconds: number): number =>
  Number.parseInt(subject, 16) % intervalSeconds
