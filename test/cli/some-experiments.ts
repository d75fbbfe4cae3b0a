/** Experiments and their views, as the tests of the plugin need them. */

import { viewAlone } from '../../cli/cluster/experiment.ts'
import type { StrategyRunStatus } from '../../common/api/strategy.ts'
import type { Condition, ExperimentDeployment, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { runHashes } from '../../common/situation/run-hash.ts'
import type { ExperimentView } from '../../common/view/experiment-view.ts'
import { anExperiment } from '../builders.ts'

/** The time of all these tests. */
export const NOW = new Date('2026-11-28T14:24:00Z')

/** In 64 digits; people see the first ten. */
export const WHOLE_REVISION = `1f2e3d4c5b${'a'.repeat(54)}`

/** A condition of the present generation. */
export const aCondition = (
  type: Condition['type'],
  status: 'True' | 'False',
  reason: string,
  message = '',
): Condition => ({
  ...{ type, status, reason, message, observedGeneration: 1, lastTransitionTime: '2026-11-28T14:05:00Z' },
})

const RUN: StrategyRunStatus = {
  ...{ run: '', revision: '0123456789', wholeRevision: WHOLE_REVISION, path: 'Forward', phase: 'Paused' },
  ...{ stepIndex: 1, stepName: 'pause 1h', since: '2026-11-28T14:05:00.000Z', step: '1/7 Paused' },
}

interface Of {
  readonly conditions?: readonly Condition[]
  readonly status?: Partial<ExperimentDeploymentStatus>
  readonly run?: Partial<StrategyRunStatus> | undefined
  readonly spec?: Partial<ExperimentDeployment['spec']>
  readonly metadata?: Partial<ExperimentDeployment['metadata']>
}

/** `faster-cart`, ready, without a strategy. With `run`, a canary of four steps that waits at its second one. */
export function aSteered({ conditions, status, run, spec, metadata }: Of = {}): ExperimentDeployment {
  const canary = { steps: [{ setWeight: 10 }, { pause: { duration: '1h' } }, { setWeight: 50 }, { pause: {} }] }
  const asked = {
    ...(run === undefined ? {} : { strategy: { canary } }),
    ...spec,
  }
  return anExperiment({
    metadata: { creationTimestamp: '2026-11-28T13:59:00Z', ...metadata },
    ...asked,
    status: {
      observedGeneration: 1,
      conditions: conditions ?? [aCondition('Ready', 'True', 'Available', 'every pod is ready')],
      ...(run === undefined ? {} : { strategy: { ...RUN, ...runHashes(anExperiment(asked)), ...run } }),
      ...status,
    },
  })
}

/** Its view, as far as it follows from the experiment alone. */
export const aViewOf = (of?: Of): ExperimentView => viewAlone({ experiment: aSteered(of) }, NOW)
