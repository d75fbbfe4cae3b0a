import { expect } from 'chai'
import { COMMAND } from '../../../common/api/names.ts'
import { plan } from '../../../common/plan/plan.ts'
import { strategyStatus } from '../../../common/plan/run-status.ts'
import { anExperiment } from '../../builders.ts'
import { someFacts } from './some-facts.ts'

describe('a run that is aborted', () => {
  it('tells at once how many steps its way back has', () => {
    const metadata = { annotations: { [COMMAND]: 'abort' } }
    const strategy = { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } }
    const facts = someFacts({ experiment: anExperiment({ metadata, strategy }) })
    const { conclusion } = plan(facts)
    expect(strategyStatus(facts, conclusion).strategy).to.deep.include({ step: '0/1 Aborting', stepName: 'remove' })
  })
})
