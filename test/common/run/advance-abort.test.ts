import { expect } from 'chai'
import { unknown } from '../../../common/api/known.ts'
import { COMMAND } from '../../../common/api/names.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { plan, strategyStatus } from '../of-facts.ts'
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

describe('a run of which an object cannot be read', () => {
  const because = 'it is too large: it is nested deeper than 100 levels'
  const UNREAD: Readonly<Record<string, { but: Partial<Facts>; told: string }>> = {
    'its pinned base': {
      but: { revision: unknown(because) },
      told: `the pinned base, controllerrevision/${FORK}, could not be read now (${because})`,
    },
    'its source': { but: { source: unknown(because) }, told: `deployment/cart could not be read now (${because})` },
  }
  for (const [what, { but, told }] of Object.entries(UNREAD))
    it(`N37d: says so of ${what}, and is aborted all the same`, () => {
      const run = aRun(aRunExperiment({ onSourceChange: what === 'its source' ? 'Follow' : 'Pin' }))
      run.rest()
      run.rest(40, but)
      expect(run.messageOf('Ready')).to.contain(told)
      run.say('abort')
      run.rest(40, but)
      expect([run.strategy()?.phase, run.pods()]).to.deep.equal(['Aborted', 0])
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
