import { ABSENT, knownValue } from '../api/known.ts'
import { selects } from '../api/label-selector.ts'
import type { AnalysisFacts } from '../facts/facts.ts'

/** The providers that the namespace of the experiment may ask now; none where its labels or they are not known. */
export function allowedProviders(analysis: AnalysisFacts | undefined): readonly string[] {
  const labels = analysis?.namespace?.labels
  const all = knownValue(analysis?.providers ?? ABSENT)
  if (!labels || !all) return []
  return [...all]
    .filter(([, provider]) => selects(knownValue(provider)?.spec.namespaceSelector, labels))
    .map(([name]) => name)
    .sort()
}
