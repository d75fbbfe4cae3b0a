import { expect } from 'chai'
import { aRun, aRunExperiment, type RunWorld } from '../../common/plan/some-run.ts'
import { reported } from './reporting.ts'

/** Events and counts of the next pass, without those of the conclusion, which are as ever. */
async function movesOf(run: RunWorld): Promise<readonly string[]> {
  const facts = run.facts()
  const { conclusion } = run.pass()
  const { diary } = await reported(facts, conclusion)
  const reason = conclusion.run?.moved?.reason
  return diary.filter(
    (line) => line === `count ${reason}` || line.endsWith(`al ${reason}`) || line.endsWith(`g ${reason}`),
  )
}
function aPausedRun(): RunWorld {
  const run = aRun()
  run.rest()
  return run
}

describe('the report of a run', () => {
  it('has one Event and one count for each move', async () => {
    const run = aRun()
    run.pass()
    expect(await movesOf(run)).to.deep.equal(['Normal StepCompleted', 'count StepCompleted'])
    expect(await movesOf(run)).to.deep.equal([])
  })

  it('has a Warning for an abort', async () => {
    const run = aPausedRun()
    run.sayUnstamped('abort')
    expect(await movesOf(run)).to.deep.equal(['Warning Aborted', 'count Aborted'])
  })

  it('has a Warning for a command that is not obeyed, once', async () => {
    const run = aPausedRun()
    run.say('undo')
    expect(await movesOf(run)).to.deep.equal(['Warning CommandRefused', 'count CommandRefused'])
    expect(await movesOf(run)).to.deep.equal([])
  })

  it('has an Event without a Warning for a command that is obeyed', async () => {
    const run = aPausedRun()
    run.say('resume')
    expect(await movesOf(run)).to.deep.equal(['Normal Resumed', 'count Resumed'])
  })

  it('has nothing of a move whose status could not be written', async () => {
    const run = aRun(aRunExperiment())
    run.pass()
    const facts = run.facts()
    const { conclusion } = run.pass()
    expect(conclusion.run?.moved?.reason).to.equal('StepCompleted')
    const failure = new Error('conflict')
    const thrown = await reported(facts, conclusion, { failure }).catch((error: unknown) => error)
    expect(thrown).to.equal(failure)
  })

  it('has one for each step of a promotion, and one for its end', async () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
    const told: string[] = []
    for (let passes = 0; passes < 8; passes += 1) told.push(...(await movesOf(run)))
    run.wait(30)
    told.push(...(await movesOf(run)))
    expect(told).to.deep.equal([
      'Normal StepCompleted',
      'count StepCompleted',
      'Normal StepCompleted',
      'count StepCompleted',
      'Normal Promoted',
      'count Promoted',
    ])
    expect(run.step()).to.equal('3/3 Promoted')
  })
})
