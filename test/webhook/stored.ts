import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { anExperiment } from '../builders.ts'
import { type Given, leftAt, theFork } from '../common/plan/some-facts.ts'

type SpecOf = NonNullable<Parameters<typeof anExperiment>[0]>

/** A stored experiment of this spec, and its fork as the controller wrote it, with all pods available. */
export function stored(
  spec: SpecOf = {},
  of: Pick<Given, 'schema' | 'source'> = {},
): { readonly experiment: ExperimentDeployment; readonly fork: KubeObject } {
  const experiment = anExperiment(spec)
  return { experiment: { ...experiment, status: leftAt(3) }, fork: theFork({ ...of, experiment }) }
}

/** The same stored experiment with another spec: what an update asks for. */
export const updated = ({ status, metadata }: ExperimentDeployment, spec: SpecOf): ExperimentDeployment =>
  anExperiment({ ...spec, metadata: { ...metadata, ...spec.metadata }, ...(status ? { status } : {}) })
