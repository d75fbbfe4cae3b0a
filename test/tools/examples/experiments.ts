import { REASONS } from '../../../common/api/reasons.ts'
import type { StrategyRunStatus } from '../../../common/api/strategy.ts'
import type { Condition, ExperimentDeployment, ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import { STATES, type State } from '../../../common/view/experiment-view.ts'
import { stateOf } from '../../../common/view/state.ts'
import { anExperiment } from '../../builders.ts'
import { aCondition, aToldExperiment } from '../../common/view/some-view.ts'

/** What Argo CD and Flux must say about an experiment in each state. Flux has no word for what waits for a person. */
export const HEALTH = {
  Terminating: { argoCd: 'Progressing', flux: 'InProgress' },
  Ended: { argoCd: 'Healthy', flux: 'Current' },
  Failed: { argoCd: 'Degraded', flux: 'Failed' },
  Stalled: { argoCd: 'Degraded', flux: 'Failed' },
  Paused: { argoCd: 'Suspended', flux: 'Current' },
  Progressing: { argoCd: 'Progressing', flux: 'InProgress' },
  Idle: { argoCd: 'Healthy', flux: 'Current' },
  Running: { argoCd: 'Healthy', flux: 'Current' },
} as const satisfies Readonly<Record<State, object>>

/** Each sequence of one item of each list. */
const product = <T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] =>
  lists.reduce<readonly (readonly T[])[]>((all, list) => all.flatMap((one) => list.map((item) => [...one, item])), [[]])

type Change = (of: ExperimentDeployment) => ExperimentDeployment
const same: Change = (of) => of
const withStatus =
  (status: ExperimentDeploymentStatus): Change =>
  (of) => ({ ...of, status: { ...of.status, ...status } })
const withCondition =
  (type: Condition['type'], reason: string, status: Condition['status'] = 'True'): Change =>
  (of) =>
    withStatus({ conditions: [...(of.status?.conditions ?? []), aCondition(type, reason, { status })] })(of)

const ABORTED: StrategyRunStatus = {
  ...{ run: 'r', revision: 'v', path: 'Abort', phase: 'Progressing', stepIndex: 0, stepName: 's', step: '0/1' },
  since: '2026-11-21T10:00:00Z',
}
const FAILED = {
  verdict: 'Fail',
  reason: 'HarmFound',
  message: 'm',
  since: '2026-11-21T10:00:00Z',
  attempt: 1,
} as const
const ofGeneration = (generation: number): Change => withStatus({ observedGeneration: generation })
const leaving: Change = ({ metadata, ...of }) => ({
  ...of,
  metadata: { ...metadata, deletionTimestamp: '2026-11-21T10:00:00Z' },
})

/** What may be true of an experiment, each with what else may be true. The order of the conditions changes, too. */
const ASPECTS: readonly (readonly Change[])[] = [
  [same, withCondition('Stalled', 'InvalidSpec')],
  [same, withCondition('Paused', 'PauseStep')],
  [
    same,
    withCondition('Ready', 'Available'),
    withCondition('Ready', 'ScaledToZero'),
    withCondition('Ready', 'PodsNotReady', 'False'),
    withCondition('Ready', 'RolledBack', 'False'),
    withCondition('Ready', 'Expired', 'False'),
  ],
  [same, ofGeneration(0), ofGeneration(1)],
  [same, withStatus({ strategy: ABORTED })],
  [same, withStatus({ analysis: FAILED })],
  [same, leaving],
]

const combined = product(ASPECTS).map((changes) => changes.reduce((of, change) => change(of), anExperiment()))

/** One for each reason of this version and for one of another version, in all three forms of the condition. */
const reasons = [...Object.keys(REASONS), 'BetterThanEver'].flatMap((reason) =>
  (['True', 'False', 'Unknown'] as const).map((status) =>
    aToldExperiment({ conditions: [aCondition('Ready', reason, { status })] }),
  ),
)

const others = [
  anExperiment({ status: {} }),
  aToldExperiment({}),
  leaving(aToldExperiment()),
  ofGeneration(2)(aToldExperiment()),
  withCondition('Stalled', 'InvalidSpec', 'False')(aToldExperiment()),
  withCondition('Paused', 'Resumed', 'False')(aToldExperiment()),
  withStatus({ strategy: { ...ABORTED, path: 'Forward' } })(aToldExperiment()),
  withStatus({ analysis: { ...FAILED, verdict: 'Pass' } })(aToldExperiment()),
]

/** Experiments in each state, among them such of which several states hold. */
export const EXPERIMENTS: readonly (readonly [State, readonly ExperimentDeployment[]])[] = STATES.map((state) => [
  state,
  [...combined, ...reasons, ...others].filter((experiment) => stateOf(experiment) === state),
])
