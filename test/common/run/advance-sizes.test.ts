import { expect } from 'chai'
import { aRun, aSource, type RunWorld } from '../plan/some-run.ts'

/** A run at its first pause, with one pod beside ten. */
function aFreeRun(): RunWorld {
  const run = aRun()
  run.rest()
  expect([run.step(), run.pods()]).to.deep.equal(['1/7 Paused', 1])
  return run
}

describe('what happens to a run whose source is scaled', () => {
  it('S changes: the pods follow, and a step that was reached stays reached', () => {
    const run = aFreeRun()
    const since = run.strategy()?.since
    run.wait(60)
    run.world.source = aSource(50)
    run.rest()
    expect([run.step(), run.pods(), run.strategy()?.since]).to.deep.equal(['1/7 Paused', 6, since])
    run.wait(5)
    run.world.source = aSource(4)
    run.rest()
    expect([run.step(), run.pods(), run.strategy()?.since]).to.deep.equal(['1/7 Paused', 1, since])
  })

  it('S changes: the pods follow once in five seconds, with all changes of that time', () => {
    const run = aFreeRun()
    run.wait(60)
    run.world.source = aSource(50)
    run.rest()
    run.wait(2)
    run.world.source = aSource(70)
    expect(run.pass()).to.deep.include({ writes: [] })
    expect(run.pass().conclusion).to.deep.include({ is: 'waiting', reason: 'Updating', retryAfterMs: 3_000 })
    run.wait(2)
    run.world.source = aSource(90)
    run.rest()
    expect(run.pods()).to.equal(6)
    run.wait(1)
    expect(run.rest()).to.have.length(1)
    expect([run.step(), run.pods()]).to.deep.equal(['1/7 Paused', 10])
  })

  it('S changes: the next step does not wait for the five seconds', () => {
    const run = aFreeRun()
    run.wait(60)
    run.world.source = aSource(50)
    run.rest()
    run.say('resume')
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['3/7 Paused', 13])
  })

  it('S changes: a clock of the API server that is ahead delays nothing', () => {
    const run = aFreeRun()
    run.wait(60)
    run.world.source = aSource(50)
    run.rest()
    run.wait(-30)
    run.world.source = aSource(70)
    run.rest()
    expect(run.pods()).to.equal(8)
  })
})
