import { expect } from 'chai'
import { aRun, aRunExperiment, aSource, type RunWorld } from '../../common/plan/some-run.ts'
import { aCutOver } from '../../common/run/blue-greens.ts'
import { NONE, reported } from './reporting.ts'

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

  it('N6: has a Warning when a fork that gets all requests begins to have too few ready pods, once', async () => {
    const run = aCutOver()
    const warnings = async () => {
      const facts = run.facts()
      const { diary } = await reported(facts, run.pass().conclusion)
      return diary.filter((line) => line.includes('TooFewPods'))
    }
    expect(await warnings()).to.deep.equal([])
    for (const ready of [9, 8]) {
      run.world.pods = run.world.pods.map((pod, index) => ({ ...pod, isReady: index < ready }))
      expect(await warnings()).to.deep.equal(ready === 9 ? ['Warning TooFewPods'] : [])
    }
  })

  it('never waits with a move because another client has changed the status', async () => {
    const run = aRun(aRunExperiment())
    run.pass()
    const { experiment, ...facts } = run.facts()
    const managedFields = [{ manager: 'kubectl-patch', operation: 'Update', subresource: 'status' }]
    const forged = { ...facts, experiment: { ...experiment, metadata: { ...experiment.metadata, managedFields } } }
    const { conclusion } = run.pass()
    const moved = await reported(forged, conclusion, { repairWaitMs: 60_000 })
    expect(moved.diary).to.include.members(['repair', 'status', 'count StepCompleted'])
    expect(moved.againMs).to.equal(NONE)
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

  /** What is told about the source, and counted of promotions, until the run rests. */
  async function promotionsOf(run: RunWorld): Promise<readonly string[]> {
    const told: string[] = []
    for (let passes = 0; passes < 12; passes += 1) {
      const facts = run.facts()
      const { conclusion } = run.pass()
      const { diary } = await reported(facts, conclusion)
      told.push(...diary.filter((line) => /^event about|^count (Manual|Automatic|Export) /.test(line)))
    }
    return told
  }
  const BY = 'expd/faster-cart in shop, requested by ada'

  it('has an Event about the source, which says by whose word it was written, and a count', async () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Manual' } }))
    run.rest()
    run.say('promote')
    expect(await promotionsOf(run)).to.deep.equal([`event about cart: Normal Promoted has the change of ${BY}`])
    run.wait(30)
    expect(await promotionsOf(run)).to.deep.equal(['count Manual promoted'])
    run.say('undo')
    expect(await promotionsOf(run)).to.deep.equal([
      `event about cart: Normal Undone no longer has the change of ${BY}`,
      'count Manual undone',
    ])
  })

  it('has no Event about a source that others changed, and counts what was reverted', async () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Export' } }))
    run.rest()
    run.world.source = aSource(10, 'example/cart:2')
    expect(await promotionsOf(run)).to.deep.equal([])
    run.wait(30)
    expect(await promotionsOf(run)).to.deep.equal(['count Export promoted'])
    const overtaken = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
    while (!overtaken.world.record) overtaken.pass()
    overtaken.world.source = aSource(10, 'example/cart:2')
    expect(await promotionsOf(overtaken)).to.deep.equal([])
    expect(overtaken.reasonOf('Promoted')).to.equal('Promoted')
    const reverted = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
    while (!reverted.world.experiment.status?.promotion?.written) {
      reverted.pass()
      const { source } = reverted.world
      if (source?.metadata.generation === 2) reverted.world.source = { ...source, status: { observedGeneration: 1 } }
    }
    reverted.world.source = aSource()
    expect(await promotionsOf(reverted)).to.deep.equal(['count Automatic reverted'])
    const { experiment } = reverted.world
    reverted.world.experiment = { ...experiment, status: {} } // the record stays, but it proves nothing
    expect(await promotionsOf(reverted)).to.deep.equal([])
    expect(reverted.reasonOf('Ready')).to.equal('SourceReverted')
  })
})
