import { expect } from 'chai'
import type { ExperimentDeployment, ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import { STATES, type State } from '../../../common/view/experiment-view.ts'
import { stateOf } from '../../../common/view/state.ts'
import { anExperiment } from '../../builders.ts'
import { aCondition, aToldExperiment } from './some-view.ts'

const strategy = (path: 'Forward' | 'Abort'): Pick<ExperimentDeploymentStatus, 'strategy'> => ({
  strategy: {
    ...{ run: 'r', revision: 'v', path, phase: 'Progressing', stepIndex: 0, stepName: 's', since: 'now', step: '0/1' },
  },
})
const ready = (reason: string, status: 'True' | 'False' = 'True') => ({
  conditions: [aCondition('Ready', reason, { status })],
})
const verdict = {
  analysis: { ...({ verdict: 'Fail', reason: 'HarmFound', message: 'm', since: 'now', attempt: 1 } as const) },
}
const leaving = { metadata: { deletionTimestamp: '2026-11-21T10:00:00Z' } }

const cases: Readonly<Record<string, readonly [State, ExperimentDeployment]>> = {
  'is being deleted': ['Terminating', aToldExperiment(ready('Available'), leaving)],
  'has expired': ['Ended', aToldExperiment(ready('Expired', 'False'))],
  'is promoted': ['Ended', aToldExperiment(ready('Promoted'))],
  'was undone': ['Ended', aToldExperiment(ready('Undone', 'False'))],
  'is aborted': ['Failed', aToldExperiment({ ...ready('Aborted', 'False'), ...strategy('Abort') })],
  'is rolled back': ['Failed', aToldExperiment(ready('RolledBack', 'False'))],
  'has failed its analysis': ['Failed', aToldExperiment({ ...ready('Available'), ...verdict })],
  'needs a person': [
    'Stalled',
    aToldExperiment({
      conditions: [
        aCondition('Ready', 'InvalidOverride', { status: 'False' }),
        aCondition('Stalled', 'InvalidOverride'),
      ],
    }),
  ],
  waits: [
    'Paused',
    aToldExperiment({ conditions: [aCondition('Ready', 'Available'), aCondition('Paused', 'PauseStep')] }),
  ],
  'has no status': ['Progressing', anExperiment()],
  'was never observed': ['Progressing', anExperiment({ status: ready('Available') })],
  'was edited since': ['Progressing', aToldExperiment({ ...ready('Available'), observedGeneration: 0 })],
  'is not ready': ['Progressing', aToldExperiment(ready('PodsNotReady', 'False'))],
  'has no pods on purpose': ['Idle', aToldExperiment(ready('ScaledToZero'))],
  'has what it wants': ['Running', aToldExperiment(ready('Available'))],
  'is ready for a reason of another version': ['Running', aToldExperiment(ready('BetterThanEver'))],
}

/** What makes each state but Running, beside which the others hold, too. */
const MAKING: Readonly<Partial<Record<State, (of: ExperimentDeployment) => ExperimentDeployment>>> = {
  Terminating: (of) => ({ ...of, metadata: { ...of.metadata, ...leaving.metadata } }),
  Failed: (of) => ({ ...of, status: { ...of.status, ...strategy('Abort') } }),
  Stalled: (of) => withCondition(of, 'Stalled'),
  Paused: (of) => withCondition(of, 'Paused'),
  Progressing: (of) => ({ ...of, status: { ...of.status, observedGeneration: 0 } }),
}

const withCondition = (of: ExperimentDeployment, type: 'Stalled' | 'Paused'): ExperimentDeployment => ({
  ...of,
  status: { ...of.status, conditions: [...(of.status?.conditions ?? []), aCondition(type, 'Paused')] },
})

describe('the state of an experiment', () => {
  for (const [sentence, [state, experiment]] of Object.entries(cases))
    it(`that ${sentence} is ${state}`, () => expect(stateOf(experiment)).to.equal(state))

  it('has an example for each', () =>
    expect(new Set(Object.values(cases).map(([state]) => state))).to.deep.equal(new Set(STATES)))

  it('is the first one that holds', () => {
    const made = STATES.flatMap((state) => (MAKING[state] ? [{ state, make: MAKING[state] }] : []))
    const ended = aToldExperiment(ready('Expired', 'False'))
    for (const [at, { state, make }] of made.entries()) {
      const all = made.slice(at + 1).reduce((of, other) => other.make(of), make(aToldExperiment(ready('ScaledToZero'))))
      expect(stateOf(all), state).to.equal(state)
      const beside = make(ended)
      expect(stateOf(beside), `${state} or Ended`).to.equal(state === 'Terminating' ? state : 'Ended')
    }
  })

  it('Paused counts only while the condition is True', () =>
    expect(
      stateOf(
        aToldExperiment({
          conditions: [aCondition('Ready', 'Available'), aCondition('Paused', 'x', { status: 'False' })],
        }),
      ),
    ).to.equal('Running'))
})
