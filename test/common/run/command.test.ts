import { expect } from 'chai'
import { COMMAND, COMMAND_BY } from '../../../common/api/names.ts'
import { applyCommand, runState } from '../of-facts.ts'
import { aRun, type RunWorld } from '../plan/some-run.ts'

/** A run at its first pause. */
function aPausedRun(): RunWorld {
  const run = aRun()
  run.rest()
  return run
}

/** What the annotation of `run` does now. */
function obeyed({ facts }: RunWorld) {
  const seen = facts()
  const state = runState(seen, undefined)
  if (!state) throw new Error('there is no run')
  return applyCommand(seen, state)
}

describe('obey', () => {
  it('does nothing without a command, or with a text that is none', () => {
    const run = aPausedRun()
    expect(obeyed(run)).to.equal(undefined)
    for (const text of ['', 'hurry', 'abort now', 'resume step=0']) {
      run.sayUnstamped(text)
      expect(obeyed(run), text).to.equal(undefined)
    }
  })

  it('obeys a stamped command once, and remembers it with its author', () => {
    const run = aPausedRun()
    run.say('resume', 'ada')
    const answer = obeyed(run)
    expect(answer?.run).to.deep.include({ stepIndex: 2 })
    expect(answer?.run.command).to.deep.include({ verb: 'resume', by: 'ada', answer: 'Done' })
    expect(answer?.message).to.match(/^ada: goes on after step 2 of 7/)
    run.pass()
    expect(obeyed(run)).to.equal(undefined)
    run.rest()
    expect(run.step()).to.equal('3/7 Paused')
  })

  it('remembers a command that it does not obey, and stays at its step', () => {
    const run = aPausedRun()
    run.say('retry')
    const answer = obeyed(run)
    expect(answer).to.deep.include({ reason: 'CommandRefused' })
    expect(answer?.run).to.deep.include({ stepIndex: 1 })
    expect(answer?.run.command).to.deep.include({ verb: 'retry', answer: 'Refused' })
    run.pass()
    expect(obeyed(run)).to.equal(undefined)
  })

  it('does not obey a command whose author saw another step', () => {
    const run = aPausedRun()
    run.say('resume')
    const { experiment } = run.world
    const { strategy } = experiment.status ?? {}
    if (!strategy) throw new Error('there is no run')
    run.world.experiment = { ...experiment, status: { ...experiment.status, strategy: { ...strategy, stepIndex: 3 } } }
    expect(obeyed(run)?.run).to.deep.include({ stepIndex: 3 })
    expect(obeyed(run)?.run.command).to.deep.include({ answer: 'Stale' })
  })

  it('obeys without a stamp only what stops, and takes no author from the annotation then', () => {
    const run = aPausedRun()
    run.sayUnstamped('resume')
    expect(obeyed(run)?.run.command).to.deep.include({ answer: 'Refused' })
    run.sayUnstamped('abort')
    const { experiment } = run.world
    const annotations = { [COMMAND]: 'abort', [COMMAND_BY]: 'mallory' }
    run.world.experiment = { ...experiment, metadata: { ...experiment.metadata, annotations } }
    expect(obeyed(run)?.run).to.deep.include({ path: 'Abort', stepIndex: 0 })
    expect(obeyed(run)?.run.command).to.not.have.property('by')
    run.rest()
    expect(obeyed(run)).to.equal(undefined)
  })
})
