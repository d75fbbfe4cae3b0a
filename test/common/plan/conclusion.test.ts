import { expect } from 'chai'
import { RECHECK_MS, stateOf } from '../../../common/plan/conclusion.ts'
import type { State } from '../../../common/plan/decision.ts'
import type { Health } from '../../../common/workload/kind.ts'

const REASON = { reason: 'Available', message: 'ok' } as const

const cases: Readonly<Record<string, readonly [Health, State]>> = {
  'is settled when the fork is ready': [{ ...REASON, is: 'ready' }, { is: 'settled' }],
  'is unready when the fork is unready': [{ ...REASON, is: 'unready' }, { is: 'unready' }],
  'is stalled when the fork cannot make progress': [{ ...REASON, is: 'stalled' }, { is: 'stalled' }],
  'is checked again within a minute while the fork makes progress': [
    { ...REASON, is: 'progressing' },
    { is: 'waiting', retryAfterMs: RECHECK_MS },
  ],
  'is checked again earlier when the health says when it may change': [
    { ...REASON, is: 'progressing', recheckAfterMs: 3_000 },
    { is: 'waiting', retryAfterMs: 3_000 },
  ],
  'is checked again within a minute although the health may change later': [
    { ...REASON, is: 'progressing', recheckAfterMs: 600_000 },
    { is: 'waiting', retryAfterMs: RECHECK_MS },
  ],
}

describe('the state of an experiment', () => {
  for (const [sentence, [health, state]] of Object.entries(cases))
    it(sentence, () => expect(stateOf(health)).to.deep.equal(state))
})
