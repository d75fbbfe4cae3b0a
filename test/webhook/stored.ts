import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { derivedFork } from '../../common/assess/assess.ts'
import { aDeployment, anExperiment, installing } from '../builders.ts'
import { assess, runState } from '../common/of-facts.ts'
import { type Given, leftAt, someFacts, theFork } from '../common/plan/some-facts.ts'

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

/** The revision of the run of `experiment`, where all components are installed. A command has it in its stamp. */
export function revisionOf(experiment: ExperimentDeployment): string {
  const installed = installing('promotion', 'gate', 'cutOver', 'analysis')
  const facts = someFacts({ experiment, source: aDeployment(), installed })
  return runState(facts, derivedFork(assess(facts)))?.run.revision ?? expect.fail('there is a run')
}
