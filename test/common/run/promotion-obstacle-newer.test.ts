import { expect } from 'chai'
import type { PromotionMode } from '../../../common/api/strategy.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld } from '../plan/some-run.ts'
import { available } from '../plan/some-world.ts'
import { imageIn } from './promotions.ts'

const IMAGES = 'containers[cart].image was example/cart:1 and is example/cart:3'
const STEPS = { canary: { steps: [{ setWeight: 10 }, { pause: {} }] } }

/** A run that waits at its pause. */
function paused(mode: PromotionMode, of: RunOf = {}): RunWorld {
  const run = aRun(aRunExperiment({ strategy: STEPS, promotion: { mode }, ...of }))
  run.rest()
  expect(run.strategy()?.stepName).to.equal('pause')
  return run
}
/** Somebody else releases another version of the source. */
const release = (run: RunWorld, image = 'example/cart:3', spec: JsonObject = {}) => {
  run.world.source = aSource(10, image, spec)
}
/** What the run waits for, and what the source has then. */
const shown = (run: RunWorld) => [run.strategy()?.stepName, run.reasonOf('Ready'), imageIn(run)]
const DRIFTED = ['promote', 'SourceDrifted', 'example/cart:3']
const isPromoted = (run: RunWorld) => {
  run.rest()
  expect([run.strategy()?.stepName, imageIn(run)]).to.deep.equal(['drain 30s', 'example/cart:2'])
}

describe('a promotion over a newer change of the same field', () => {
  it('N12: waits with both values, in the mode Automatic', () => {
    const run = paused('Automatic')
    release(run)
    run.rest()
    run.say('resume')
    run.rest()
    expect(shown(run)).to.deep.equal(DRIFTED)
    expect(run.messageOf()).to.equal(
      `deployment/cart is not written: others changed it: ${IMAGES}; look at the plan of the command promote, which promotes it anyway; abort ends the run`,
    )
    expect(run.reasonOf('Stalled')).to.equal('SourceDrifted')
    expect(run.world.record).to.equal(undefined)
  })

  it('N12: waits in the mode Manual, where the revision was approved and does not change', () => {
    const run = paused('Manual')
    run.say('resume')
    run.rest()
    run.edit({ promotion: { mode: 'Manual', approvedRevision: run.strategy()?.wholeRevision ?? '' } })
    release(run)
    run.rest()
    expect(shown(run)).to.deep.equal(DRIFTED)
    expect(run.messageOf()).to.contain(IMAGES)
  })

  it('N12: waits where the change comes after the command promote, whose author did not see it', () => {
    const run = paused('Manual')
    run.say('promote')
    release(run)
    run.rest()
    expect(shown(run)).to.deep.equal(DRIFTED)
    expect(run.messageOf()).to.contain(IMAGES)
  })

  it('N12: is made once somebody promotes who has seen it, and undone to that', () => {
    const run = paused('Automatic')
    release(run)
    run.say('promote')
    isPromoted(run)
    run.say('undo')
    run.rest()
    expect(imageIn(run)).to.equal('example/cart:3')
  })

  it('N12: is made after a wait by the command promote, also if the record is written already', () => {
    const run = paused('Automatic')
    run.say('promote')
    while (!run.world.record) run.pass()
    expect(imageIn(run)).to.equal('example/cart:1')
    release(run)
    run.rest()
    expect(shown(run)).to.deep.equal(DRIFTED)
    run.say('promote')
    isPromoted(run)
  })

  it('N12: goes on by itself once the source has its former value again', () => {
    const run = paused('Automatic')
    release(run)
    run.say('resume')
    run.rest()
    expect(shown(run)).to.deep.equal(DRIFTED)
    release(run, 'example/cart:1')
    isPromoted(run)
  })

  it('N12: is aborted as before', () => {
    const run = paused('Automatic')
    release(run)
    run.say('resume')
    run.rest()
    run.say('abort')
    run.rest()
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Aborted', 'example/cart:3'])
  })

  it('N12: names no value that may be secret, and keeps none', () => {
    const env = (value: string) => [{ name: 'TOKEN', value }]
    const withEnv = (value: string) => ({
      template: { spec: { containers: [{ name: 'cart', image: 'example/cart:1', env: env(value) }] } },
    })
    const overrideSpec = { template: { spec: { containers: [{ name: 'cart', env: env('mine') }] } } }
    const run = aRun(
      aRunExperiment({ strategy: STEPS, promotion: { mode: 'Automatic' }, overrideType: 'Strategic', overrideSpec }),
      { source: available(aSource(10, 'example/cart:1', withEnv('former'))) },
    )
    run.rest()
    run.world.source = available(aSource(10, 'example/cart:1', withEnv('newer')))
    run.say('resume')
    run.rest()
    expect(shown(run)).to.deep.equal(['promote', 'SourceDrifted', 'example/cart:1'])
    expect(run.messageOf()).to.contain('a field whose value is not shown has another one')
    expect(JSON.stringify(run.world.experiment.status)).to.not.match(/former|newer/)
  })
})

describe('a promotion beside changes of other fields', () => {
  it('N12: is made: what it does not change is not its concern', () => {
    const run = paused('Automatic')
    release(run, 'example/cart:1', { minReadySeconds: 5 })
    run.rest()
    run.say('resume')
    isPromoted(run)
  })
})

describe('a promotion of a revision with which the run did not come to it', () => {
  const ANNOTATED = { template: { metadata: { labels: { app: 'cart' }, annotations: { by: 'hand' } } } }
  /** The template of the source changes while the run waits to write it. */
  function changed(mode: PromotionMode) {
    const run = paused(mode)
    const { status: _status, ...unsettled } = aSource()
    run.world.source = unsettled
    run.say('promote')
    run.rest()
    expect([run.strategy()?.stepName, run.reasonOf('Ready')]).to.deep.equal(['promote', 'SourceNotSettled'])
    const { template, ...spec } = aSource().spec as { template: JsonObject }
    run.world.source = available({ ...aSource(), spec: { ...spec, template: { ...template, ...ANNOTATED.template } } })
    run.rest()
    return run
  }

  it('N12: waits for another promote in the mode Automatic, which has no step for that', () => {
    const run = changed('Automatic')
    expect(shown(run)).to.deep.equal(['promote', 'SourceDrifted', 'example/cart:1'])
    expect(run.messageOf()).to.contain('the fork has got another template since the run came to its promotion')
    run.say('promote')
    isPromoted(run)
  })

  it('N12: goes back to the step at which it waits for promote in the mode Manual', () => {
    const run = changed('Manual')
    expect([run.strategy()?.stepName, run.reasonOf('Paused')]).to.deep.equal(['await', 'AwaitingPromotion'])
    run.say('promote')
    isPromoted(run)
  })
})

describe('a run that an earlier version stored', () => {
  it('N12: promotes over what its source has in its first pass', () => {
    const run = paused('Automatic')
    const { experiment } = run.world
    const { seen, ...strategy } = run.strategy() ?? expect.fail('there is a run')
    expect(seen?.shown).to.deep.equal({ 'containers[cart].image': 'example/cart:1' })
    run.world.experiment = { ...experiment, status: { ...experiment.status, strategy } }
    release(run)
    run.rest()
    expect(run.strategy()).to.deep.include({ stepName: 'pause', since: strategy.since })
    expect(run.strategy()?.seen?.shown).to.deep.equal({ 'containers[cart].image': 'example/cart:3' })
    run.say('resume')
    isPromoted(run)
  })
})
