import { expect } from 'chai'
import { REQUESTED_BY, REVIEWED_REPLICAS } from '../../../common/api/names.ts'
import type { CommandAnswer } from '../../../common/api/strategy.ts'
import type { DecisionState } from '../../../common/facts/decision.ts'
import { authorOf, decisionOn, STALLED_RECHECK_MS } from '../../../common/outcome/conclusion.ts'
import type { Health } from '../../../common/workload/kind.ts'
import { anExperiment } from '../../builders.ts'

const REASON = { reason: 'Available', message: 'ok' } as const

const cases: Readonly<Record<string, readonly [Health, DecisionState]>> = {
  'is settled when the fork is ready': [{ ...REASON, is: 'ready' }, { is: 'settled' }],
  'is unready when the fork is unready': [{ ...REASON, is: 'unready' }, { is: 'unready' }],
  'is stalled when the fork cannot make progress': [{ ...REASON, is: 'stalled' }, { is: 'stalled' }],
  'is checked again within a minute while the fork makes progress': [
    { ...REASON, is: 'progressing' },
    { is: 'waiting', retryAfterMs: STALLED_RECHECK_MS },
  ],
  'is checked again earlier when the health says when it may change': [
    { ...REASON, is: 'progressing', recheckAfterMs: 3_000 },
    { is: 'waiting', retryAfterMs: 3_000 },
  ],
  'is checked again within a minute although the health may change later': [
    { ...REASON, is: 'progressing', recheckAfterMs: 600_000 },
    { is: 'waiting', retryAfterMs: STALLED_RECHECK_MS },
  ],
}

describe('the state of an experiment', () => {
  for (const [sentence, [health, state]] of Object.entries(cases))
    it(sentence, () => expect(decisionOn(anExperiment(), health)).to.deep.equal({ ...REASON, ...state }))
})

describe('the decision on a fork in another namespace', () => {
  const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'stock' }
  const scaled = (replicas: number, reviewed?: string) =>
    anExperiment({
      sourceRef,
      replicas,
      metadata: reviewed === undefined ? {} : { annotations: { [REVIEWED_REPLICAS]: reviewed } },
    })
  const ready = { ...REASON, is: 'ready' } as const

  it('S2: is stalled where kubectl scale asked for more pods than were reviewed', () => {
    expect(decisionOn(scaled(300, '2'), ready)).to.deep.equal({
      is: 'stalled',
      reason: 'ScaleNotReviewed',
      message:
        'the fork keeps 2 of 300 pods: kubectl scale does not check your permissions in namespace "stock"; ' +
        'scale it back to 2, then set spec.replicas by kubectl patch or apply',
    })
    expect(decisionOn(scaled(2), ready)).to.have.property('reason', 'ScaleNotReviewed')
  })

  it('is settled with as many pods as were reviewed, or fewer', () => {
    for (const experiment of [scaled(2, '2'), scaled(0, '2'), scaled(1)])
      expect(decisionOn(experiment, ready)).to.have.property('is', 'settled')
  })

  it('never says that spec.replicas was not reviewed where a run decides about the pods', () => {
    const run = { ...scaled(300, '2'), spec: { ...scaled(300, '2').spec, promotion: {} } }
    expect(decisionOn(run, ready)).to.have.property('is', 'settled')
  })
})

describe('the author of a write', () => {
  const authorWith = (answer: CommandAnswer) => {
    const command = { verb: 'promote', at: '2026-11-21T10:00:00Z', by: 'bob', answer, message: 'ok' }
    const run = { run: 'r', revision: 'v', path: 'Forward', stepIndex: 0, since: '2026-11-21T10:00:00Z' } as const
    const strategy = { ...run, command, phase: 'Progressing', step: '0/3 Progressing', stepName: 'promote' } as const
    return authorOf(anExperiment({ metadata: { annotations: { [REQUESTED_BY]: 'ada' } }, status: { strategy } }))
  }

  it('is who gave the last command, if the run obeyed it, or else who last changed the spec', () => {
    expect((['Done', 'Refused', 'Stale'] as const).map(authorWith)).to.deep.equal(['bob', 'ada', 'ada'])
  })
})
