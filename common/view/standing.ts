import type { ExperimentDeployment } from '../api/types.ts'
import type { ExperimentView } from './experiment-view.ts'
import { text } from './text.ts'

/** The most conditions that are shown: the controller writes fewer. */
const MAX_CONDITIONS = 32

/** Where an experiment stands, for those who wait for it, and for those whose command must be about what they saw. */
export const standingOf = (
  experiment: ExperimentDeployment,
): Pick<ExperimentView, 'conditions' | 'asks'> & Pick<ExperimentView, 'run'> => ({
  conditions: conditionsOf(experiment),
  asks: asksOf(experiment),
  ...runOf(experiment),
})

/** One without a generation is about the one that the whole status is about. */
const conditionsOf = ({ metadata, status }: ExperimentDeployment): ExperimentView['conditions'] =>
  (status?.conditions ?? []).slice(0, MAX_CONDITIONS).map(({ type, status: value, reason, observedGeneration }) => ({
    type: text(type),
    status: text(value),
    reason: text(reason),
    isCurrent: (observedGeneration ?? status?.observedGeneration ?? 0) >= metadata.generation,
  }))

const asksOf = ({ spec }: ExperimentDeployment): ExperimentView['asks'] => ({
  strategy: spec.strategy !== undefined,
  promotion: spec.promotion !== undefined,
  analysis: spec.analysis !== undefined,
})

function runOf({ status }: ExperimentDeployment): Pick<ExperimentView, 'run'> {
  const { strategy } = status ?? {}
  if (!strategy) return {}
  const { stepIndex, revision, wholeRevision, path } = strategy
  return {
    run: {
      stepIndex,
      revision: text(revision),
      ...(wholeRevision === undefined ? {} : { wholeRevision: text(wholeRevision) }),
      isForward: path === 'Forward',
    },
  }
}
