import { expect } from 'chai'
import { COMMAND } from '../../../common/api/names.ts'
import { anExperiment } from '../../builders.ts'
import { plan, strategyStatus } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'

describe('a run that turns back', () => {
  it('tells the steps of the way back at once', () => {
    const experiment = anExperiment({
      strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
      metadata: { annotations: { [COMMAND]: 'abort' } },
    })
    const facts = someFacts({ experiment })
    const { strategy } = strategyStatus(facts, plan(facts).conclusion)
    expect([strategy?.path, strategy?.step, strategy?.stepName]).to.deep.equal(['Abort', '0/1 Aborting', 'remove'])
  })
})
