import { expect } from 'chai'
import { SAME_REVISION, SAME_RUN, withoutWhole } from '../plan/collisions.ts'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld } from '../plan/some-run.ts'
import { imageIn } from './promotions.ts'

/** A run that waits until it is promoted. */
function waiting(of: RunOf) {
  const run = aRun(aRunExperiment(of))
  run.rest()
  expect(run.step()).to.equal('1/4 Paused')
  return run
}

/** Lets the run go on as far as it does by itself. Returns its step, and the image of the source. */
function end(run: RunWorld) {
  run.rest()
  run.wait(30)
  run.rest()
  return [run.step(), imageIn(run)]
}

const STILL_WAITS = ['1/4 Paused', 'example/cart:1']
const PROMOTED = ['4/4 Promoted', 'example/cart:2']

describe('an override that is put in the place of another one with the same short hash', () => {
  it('N31: is not promoted by the command for the other one', () => {
    const run = waiting(SAME_RUN.good)
    const { run: short } = run.strategy() ?? {}
    run.say('promote')
    run.pass()
    expect(run.step()).to.equal('2/4 Progressing')
    run.edit(SAME_RUN.evil)
    expect(end(run)).to.deep.equal(STILL_WAITS)
    expect(run.strategy()).to.deep.include({ run: short, attempt: 1 })
  })

  it('N31: is promoted by its own command, which the status tells', () => {
    const run = waiting(SAME_RUN.good)
    run.edit(SAME_RUN.evil)
    run.rest()
    run.say('promote')
    expect(end(run)).to.deep.equal(['4/4 Promoted', 'example/evil:1'])
  })

  it('N31: is not promoted by the approval of the other revision, the short one or the whole one', () => {
    for (const key of ['revision', 'wholeRevision'] as const) {
      const run = waiting(SAME_REVISION.good)
      const { revision, [key]: approvedRevision = '' } = run.strategy() ?? {}
      run.edit({ ...SAME_REVISION.evil, promotion: { mode: 'Manual', approvedRevision } })
      expect(end(run)).to.deep.equal(STILL_WAITS)
      expect(run.strategy()?.revision).to.equal(revision)
    }
  })

  it('N31: is not promoted by a command that was given for the other revision', () => {
    const run = waiting(SAME_REVISION.good)
    run.world.experiment = { ...run.world.experiment, spec: aRunExperiment(SAME_REVISION.evil).spec }
    run.say('promote')
    expect(end(run)).to.deep.equal(STILL_WAITS)
    expect(run.strategy()?.command).to.deep.include({ verb: 'promote', answer: 'Stale' })
  })
})

describe('the approved revision of a run', () => {
  /** A run that was promoted by a command, and whose source has got another template since. */
  function changed() {
    const run = waiting({ strategy: undefined, promotion: { mode: 'Manual' } })
    run.say('promote')
    run.pass()
    const { wholeRevision, approvedRevision } = run.strategy() ?? {}
    expect(approvedRevision).to.equal(wholeRevision)
    const containers = [{ name: 'cart', image: 'example/cart:1' }]
    const template = { metadata: { labels: { app: 'cart' } }, spec: { containers, terminationGracePeriodSeconds: 5 } }
    run.world.source = aSource(10, 'example/cart:1', { template })
    return { run, approved: wholeRevision }
  }

  it('N31: is remembered, and the run waits again if the present one differs before the source is written', () => {
    const { run, approved } = changed()
    const [step, image] = end(run)
    expect([step, image]).to.deep.equal(STILL_WAITS)
    expect(run.strategy()).to.not.have.property('approvedRevision')
    expect([run.strategy()?.wholeRevision === approved, run.reasonOf('Paused')]).to.deep.equal([
      false,
      'AwaitingPromotion',
    ])
    run.say('promote')
    expect(end(run)).to.deep.equal(PROMOTED)
  })

  it('N31: is told with the present one when the run goes back to waiting', () => {
    const { run, approved } = changed()
    const moved = run.pass().conclusion.run?.moved
    expect(moved?.reason).to.equal('AwaitingPromotion')
    expect(moved?.message).to.equal(
      `waits until promoted again: ${approved} was approved, and the revision is ${run.strategy()?.wholeRevision} now`,
    )
  })
})

describe('a run that an earlier version stored', () => {
  it('N31: gets its whole hashes in a pass that decides and writes nothing else', () => {
    const run = waiting({ strategy: undefined, promotion: { mode: 'Manual' } })
    const before = run.world.experiment.status
    withoutWhole(run)
    run.say('promote')
    const { writes, conclusion } = run.pass()
    expect([writes, conclusion.run?.moved, conclusion.run?.addsHashes]).to.deep.equal([[], undefined, true])
    expect(run.world.experiment.status?.strategy).to.deep.equal(before?.strategy)
    expect(end(run)).to.deep.equal(PROMOTED)
  })

  it('N31: counts as approved where it is past the step at which it waits, and goes on', () => {
    const run = waiting({ strategy: undefined, promotion: { mode: 'Manual' } })
    run.say('promote')
    run.pass()
    withoutWhole(run)
    expect(end(run)).to.deep.equal(PROMOTED)
    expect(run.strategy()?.attempt).to.equal(undefined)
  })

  it('N31: is promoted by ten digits that are stored already, until it ends', () => {
    const run = waiting({ strategy: undefined, promotion: { mode: 'Manual' } })
    const { revision: approvedRevision = '' } = run.strategy() ?? {}
    withoutWhole(run)
    run.edit({ promotion: { mode: 'Manual', approvedRevision } })
    expect(end(run)).to.deep.equal(PROMOTED)
  })

  it('N31: is not promoted by ten digits that somebody stores later', () => {
    const run = waiting({ strategy: undefined, promotion: { mode: 'Manual' } })
    const { revision: approvedRevision = '' } = run.strategy() ?? {}
    withoutWhole(run)
    run.rest()
    run.edit({ promotion: { mode: 'Manual', approvedRevision } })
    expect(end(run)).to.deep.equal(STILL_WAITS)
    expect(run.messageOf('Paused')).to.contain('until somebody promotes it')
  })

  it('N31: gets the whole hash of its record before it is undone', () => {
    const run = waiting({ strategy: undefined, promotion: { mode: 'Manual' } })
    run.say('promote')
    end(run)
    const record = run.world.experiment.status?.promotion?.record
    expect(record?.wholeHash).to.match(/^[0-9a-f]{64}$/)
    withoutWhole(run)
    run.say('undo')
    run.pass()
    expect(run.world.experiment.status?.promotion?.record).to.deep.equal(record)
    expect(run.step()).to.equal('4/4 Promoted')
    run.rest()
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Undone', 'example/cart:1'])
  })

  it('N31: is not undone by a record that has only the same short hash', () => {
    const run = waiting({ strategy: undefined, promotion: { mode: 'Manual' } })
    run.say('promote')
    end(run)
    const { promotion } = run.world.experiment.status ?? {}
    if (!promotion?.record) throw new Error('there is a record')
    // a live record with other content and the same 64 bits differs from the status in this only
    const other = { ...promotion, record: { ...promotion.record, wholeHash: '0'.repeat(64) } }
    run.world.experiment = { ...run.world.experiment, status: { ...run.world.experiment.status, promotion: other } }
    run.say('undo')
    run.rest()
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:2', 'Promoted'])
    expect(run.strategy()?.command).to.include({ answer: 'Refused' })
  })
})
