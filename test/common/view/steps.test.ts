import { expect } from 'chai'
import { unknown } from '../../../common/api/known.ts'
import { runSituation } from '../../../common/view/run-situation.ts'
import { viewSteps } from '../../../common/view/steps.ts'
import { aRun } from '../plan/some-run.ts'
import { aPausedRun, someViewFacts, viewFactsOf } from './some-view.ts'

const shown = (facts: Parameters<typeof runSituation>[0]) =>
  viewSteps(runSituation(facts)).map(({ index, text, pods, is }) => `${index} ${is} ${pods}: ${text}`)

describe('the steps of a view', () => {
  it('are those of the plan, and say where the run is', () =>
    expect(shown(viewFactsOf(aPausedRun()))).to.deep.equal([
      '0 done 1: 10% 1 of 11 pods (9%)',
      '1 current 1: pause 1h',
      '2 ahead 3: 20% 3 of 13 (23%)',
      '3 ahead 3: pause until resumed',
      '4 ahead 3: wait until promoted',
      '5 ahead 3: promote',
      '6 ahead 3: delete the fork after 30s',
    ]))

  it('are all ahead before the run has begun', () => {
    const steps = viewSteps(runSituation(viewFactsOf(aRun())))
    expect(new Set(steps.map(({ is }) => is))).to.deep.equal(new Set(['ahead']))
  })

  it('have names only while the source is not known', () =>
    expect(shown({ ...viewFactsOf(aPausedRun()), source: unknown('x') }).slice(0, 2)).to.deep.equal([
      '0 done undefined: setWeight 10%',
      '1 current undefined: pause 1h',
    ]))

  it('are those of the way back', () => {
    const run = aPausedRun()
    run.say('abort')
    run.rest()
    expect(shown(viewFactsOf(run))).to.deep.equal(['0 done 0: no pods'])
  })

  it('are none without a strategy', () => expect(shown(someViewFacts())).to.deep.equal([]))
})
