import { expect } from 'chai'
import { COMMAND } from '../../../common/api/names.ts'
import { strategyStatus } from '../../../common/conclusion/run-status.ts'
import { plan } from '../../../common/plan/plan.ts'
import { anExperiment } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, START } from '../plan/some-run.ts'

describe('a run that is aborted', () => {
  it('tells at once how many steps its way back has', () => {
    const metadata = { annotations: { [COMMAND]: 'abort' } }
    const strategy = { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } }
    const facts = someFacts({ experiment: anExperiment({ metadata, strategy }) })
    const { conclusion } = plan(facts)
    expect(strategyStatus(facts, conclusion).strategy).to.deep.include({ step: '0/1 Aborting', stepName: 'remove' })
  })
})

describe('a run that somebody paused', () => {
  it('goes all the way back when its experiment expires, and can be retried', () => {
    const run = aRun(aRunExperiment({ ttlSeconds: 3_600, metadata: { creationTimestamp: START.toISOString() } }))
    run.rest()
    run.say('pause')
    run.rest()
    run.wait(3_600)
    run.rest()
    expect(run.strategy()?.phase).to.equal('Aborted')
    run.edit({ ttlSeconds: 36_000 })
    run.say('retry')
    run.rest()
    expect(run.strategy()?.phase).to.equal('Paused')
  })
})
