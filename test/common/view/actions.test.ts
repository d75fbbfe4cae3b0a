import { expect } from 'chai'
import { COMMAND_VERBS } from '../../../common/strategy/command-text.ts'
import { viewActions } from '../../../common/view/actions.ts'
import { runSituation } from '../../../common/view/run-situation.ts'
import { aRun, type RunWorld } from '../plan/some-run.ts'
import { aPausedRun, someViewFacts, viewFactsOf } from './some-view.ts'

const actionsOf = (run: RunWorld) => viewActions(runSituation(viewFactsOf(run)))
const offered = (run: RunWorld) => actionsOf(run).flatMap(({ verb, isOffered }) => (isOffered ? [verb] : []))

describe('the commands of a view', () => {
  it('are all of them, with what to type, and why a command would be refused', () => {
    const actions = actionsOf(aPausedRun())
    expect(actions.map(({ verb }) => verb)).to.deep.equal(COMMAND_VERBS)
    expect(actions[1]).to.deep.equal({
      verb: 'resume',
      isOffered: true,
      command:
        'kubectl annotate --overwrite expd/faster-cart --namespace=shop experiment-controller.example.com/command=resume',
    })
    expect(actions[5]).to.include({ isOffered: false, why: 'retry: the run was not aborted; step 2 of 7, Paused' })
  })

  it('are offered as the run goes on', () => {
    const run = aPausedRun()
    expect(offered(run)).to.deep.equal(['pause', 'resume', 'promote', 'abort'])
    run.say('promote')
    run.rest()
    expect(offered(run)).to.include('undo').and.to.not.include('abort')
    run.say('undo')
    run.rest()
    expect(offered(run)).to.deep.equal(['retry'])
  })

  it('are those that the controller then obeys', () => {
    for (const verb of COMMAND_VERBS) {
      const run = aPausedRun()
      const isOffered = offered(run).includes(verb)
      run.say(verb)
      run.pass()
      const answer = run.strategy()?.command?.answer
      expect(answer === 'Done', `${verb}: ${answer}`).to.equal(isOffered)
    }
  })

  it('are only those that need no stamp before the run has begun', () => {
    expect(offered(aRun())).to.deep.equal(['pause', 'abort'])
    expect(actionsOf(aRun())[1]?.why).to.equal('resume: the run has not begun; repeat it later')
  })

  it('are none without a strategy', () => {
    const actions = viewActions(runSituation(someViewFacts()))
    expect(actions.map(({ isOffered, why }) => [isOffered, why])).to.deep.equal(
      COMMAND_VERBS.map((verb) => [false, `${verb}: the experiment has no strategy`]),
    )
  })
})
