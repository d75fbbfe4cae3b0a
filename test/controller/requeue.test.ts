import { assert, expect } from 'chai'
import { ABSENT } from '../../common/api/known.ts'
import type { DecisionState } from '../../common/facts/decision.ts'
import type { Facts } from '../../common/facts/facts.ts'
import type { Conclusion, RunReport } from '../../common/outcome/conclusion.ts'
import { situationOf } from '../../common/situation/situation-of.ts'
import { strategyRunSpec } from '../../common/strategy/run-spec.ts'
import { requeueOf, requeue as requeuing } from '../../controller/requeue.ts'
import type { Requeue } from '../../controller/runtime/worker.ts'
import { anExperiment } from '../builders.ts'
import { type Given, someFacts } from '../common/plan/some-facts.ts'
import { aRun } from '../common/plan/some-run.ts'
import { aCutOver, withAvailable } from '../common/run/blue-greens.ts'

const NONE = Number.POSITIVE_INFINITY
const requeue = (facts: Facts, ...others: readonly [Conclusion, number]) => requeuing(situationOf(facts), ...others)
const concluded = (state: DecisionState, reason: Conclusion['reason'] = 'Available'): Conclusion => ({
  ...state,
  reason,
  message: '',
  fork: undefined,
  source: undefined,
})
/** An experiment that expires 20 seconds from now. */
const expiring = anExperiment({ ttlSeconds: 30, metadata: { creationTimestamp: '2026-11-21T09:59:50Z' } })
const DELETED = { deletionTimestamp: '2026-11-21T09:59:55Z' }
const unread: Given = { neighbours: undefined }
const settled = concluded({ is: 'settled' })
const run: RunReport = {
  spec: strategyRunSpec({ ...expiring.spec, promotion: {} }) ?? assert.fail(),
  run: { run: '', revision: '', path: 'Forward', stepIndex: 0, since: '2026-11-21T10:00:00.000Z' },
  steps: [],
  target: undefined,
}
const withRun = (report: Partial<RunReport>): Conclusion => ({ ...settled, run: { ...run, ...report } })
const withAnalysis = ({ waitsForFork = false }): Conclusion => {
  const told = { verdict: 'Wait', reason: 'NoPods', message: '', since: '2026-11-21T10:00:00Z', attempt: 0 } as const
  return { ...settled, analysis: { ...told, metrics: [], isFinal: false, waitsForFork } }
}
const moved = { reason: 'StepCompleted', message: '' } as const
const waiting = (retryAfterMs: number) => concluded({ is: 'waiting', retryAfterMs })

describe('the requeue of a state', () => {
  const cases: readonly (readonly [DecisionState, Requeue])[] = [
    [{ is: 'settled' }, 'never'],
    [{ is: 'unready' }, 'never'],
    [{ is: 'waiting', retryAfterMs: 5_000 }, { afterMs: 5_000 }],
    [{ is: 'stalled' }, { afterMs: 60_000 }],
    [{ is: 'failed' }, 'backoff'],
  ]
  for (const [state, expected] of cases)
    it(`is ${JSON.stringify(expected)} when it is ${state.is}`, () => expect(requeueOf(state)).to.deep.equal(expected))
})

describe('the requeue of a pass', () => {
  const cases: Readonly<Record<string, readonly [Given, Conclusion, reportAgainMs: number, Requeue]>> = {
    'is never for a settled experiment': [{}, settled, NONE, 'never'],
    'is the time of a report that was put off': [{}, settled, 6_000, { afterMs: 6_000 }],
    'N10: is the time after which the API server is asked again': [
      { dryRun: { of: '', changesNothing: ABSENT, againInMs: 4_000 } },
      settled,
      NONE,
      { afterMs: 4_000 },
    ],
    'is the expiry of a settled experiment': [{ experiment: expiring }, settled, NONE, { afterMs: 20_000 }],
    'S13: is the time after which something follows from being alone behind a Service': [
      {},
      { ...settled, alone: { services: ['cart'], since: '', restMs: 7_000, forbidding: [], forbidsPods: false } },
      NONE,
      { afterMs: 7_000 },
    ],
    'is a minute while the neighbours cannot be read': [unread, settled, NONE, { afterMs: 60_000 }],
    'is never for a deletion, which needs no neighbours': [
      { ...unread, experiment: anExperiment({ metadata: DELETED }) },
      concluded({ is: 'unready' }, 'Terminating'),
      NONE,
      'never',
    ],
    'is never for a deletion, which the expiry does not change': [
      { experiment: anExperiment({ ttlSeconds: 30, metadata: { ...expiring.metadata, ...DELETED } }) },
      concluded({ is: 'unready' }, 'Terminating'),
      NONE,
      'never',
    ],
    'R7: is a minute for a pinned base, which is not watched': [
      { experiment: anExperiment({ onSourceChange: 'Pin' }) },
      settled,
      NONE,
      { afterMs: 60_000 },
    ],
    'is never for a pinned experiment that has expired': [
      {
        experiment: anExperiment({ ...expiring.spec, metadata: expiring.metadata, onSourceChange: 'Pin' }),
        now: new Date('2026-11-21T10:00:20Z'),
      },
      concluded({ is: 'unready' }, 'Expired'),
      NONE,
      'never',
    ],
    'is the earliest of several times': [
      { ...unread, experiment: expiring },
      waiting(30_000),
      6_000,
      { afterMs: 6_000 },
    ],
    'is the time of the state when that is the earliest': [
      { experiment: expiring },
      waiting(1_000),
      NONE,
      { afterMs: 1_000 },
    ],
    'is at once for a run that moved': [{}, withRun({ moved }), NONE, { afterMs: 0 }],
    'is the time of the report while the move of a run could not be stored': [
      {},
      withRun({ moved }),
      6_000,
      { afterMs: 6_000 },
    ],
    'is a second for a run whose fork was settled as soon as it was written, because there may be no event': [
      {},
      withRun({ acts: true }),
      NONE,
      { afterMs: 1_000 },
    ],
    'is a second for an analysis that begins in a pass that finds the fork settled, because this one has settled it': [
      {},
      withAnalysis({ waitsForFork: true }),
      NONE,
      { afterMs: 1_000 },
    ],
    'is that of the state for an analysis that goes on': [{}, withAnalysis({}), NONE, 'never'],
    'is that of the state for an analysis whose fork is not settled': [
      {},
      { ...withAnalysis({ waitsForFork: true }), ...waiting(30_000) },
      NONE,
      { afterMs: 30_000 },
    ],
    'is that of the state for a run whose fork is not settled': [
      {},
      { ...waiting(30_000), run: { ...run, acts: true } },
      NONE,
      { afterMs: 30_000 },
    ],
    'is the backoff after a failed write, whatever else is due': [
      { experiment: expiring },
      concluded({ is: 'failed' }),
      6_000,
      'backoff',
    ],
    'ignores an expiry that is over': [
      { experiment: expiring, now: new Date('2026-11-21T10:00:20Z') },
      concluded({ is: 'unready' }, 'Expired'),
      NONE,
      'never',
    ],
  }
  for (const [sentence, [given, conclusion, reportAgainMs, expected]] of Object.entries(cases))
    it(sentence, () => expect(requeue(someFacts(given), conclusion, reportAgainMs)).to.deep.equal(expected))
})

describe('the requeue of a fork that leaves', () => {
  it('N36: is when it is looked at again, and only when an event wakes it if it is gone', () => {
    const expired = concluded({ is: 'unready' }, 'Expired')
    const leaving = [{ uid: 'fork', recheckMs: 7_000 }]
    expect(requeue(someFacts(), { ...expired, leaving }, NONE)).to.deep.equal({ afterMs: 7_000 })
    expect(requeue(someFacts(), expired, NONE)).to.equal('never')
  })
})

describe('the requeue of a run', () => {
  it('is at once after a move, and then the end of a pause', () => {
    const run = aRun()
    const next = () => {
      const facts = run.facts()
      const { conclusion } = run.pass()
      return requeue(facts, conclusion, NONE)
    }
    expect(run.pass().conclusion.run?.moved).to.equal(undefined)
    expect(next()).to.deep.equal({ afterMs: 0 })
    run.wait(600)
    expect(next()).to.deep.equal({ afterMs: 3_000_000 })
    run.wait(3_000)
    expect(next()).to.deep.equal({ afterMs: 0 })
    run.rest()
    expect(run.step()).to.equal('3/7 Paused')
    expect(next()).to.equal('never')
  })

  it('is soon while a Service waits for pods of its source, also of an experiment that has expired', () => {
    const run = aCutOver({}, { metadata: { creationTimestamp: '2026-11-21T10:00:00Z' }, ttlSeconds: 600 })
    run.world.source = withAvailable(run.world.source, 1)
    run.wait(601)
    run.rest()
    const facts = run.facts()
    const { conclusion } = run.pass()
    expect([conclusion.reason, run.strategy()?.stepName]).to.deep.equal(['Expired', 'return'])
    expect(requeue(facts, conclusion, NONE)).to.deep.equal({ afterMs: 10_000 })
  })
})
