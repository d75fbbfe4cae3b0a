import { expect } from 'chai'
import { imageIn, messageOf } from './promotions.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from './some-run.ts'
import { available } from './some-world.ts'

/** The source keeps its image, and the status says why. */
const waits = (run: RunWorld, reason: string, message: string) => {
  run.rest()
  expect([imageIn(run), run.reasonOf('Ready')]).to.deep.equal(['example/cart:1', reason])
  expect(messageOf(run)).to.contain(message)
}
const isWritten = (run: RunWorld) => {
  run.rest()
  expect(imageIn(run)).to.equal('example/cart:2')
}

describe('what keeps a source from being written', () => {
  const automatic = (source = aSource()) =>
    aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }), { source })

  it('is a field that would keep the change from its pods', () => {
    const run = automatic(aSource(10, 'example/cart:1', { paused: true }))
    waits(run, 'SourceHoldsBack', 'spec.paused: a change would not reach all of its pods')
    run.world.source = aSource()
    isWritten(run)
  })

  it('is a rollout of its own that goes on', () => {
    const { status: _status, ...source } = aSource()
    const run = automatic(source)
    waits(run, 'SourceNotSettled', 'deployment/cart is not settled')
    run.world.source = available(source)
    isWritten(run)
  })

  it('is a rollout that takes down more pods than the fork may have', () => {
    const strategy = { canary: { maxSurge: 2, steps: [{ setWeight: 10 }, { pause: {} }] } }
    const run = aRun(aRunExperiment({ strategy, promotion: { mode: 'Automatic' } }), { source: aSource(8) })
    run.rest()
    run.wait(60)
    run.world.source = aSource(40)
    run.rest()
    run.say('resume')
    waits(run, 'WeightLimited', 'takes down 10 of 40 pods at once, and maxSurge 2 allows 2 of the fork')
    run.world.source = aSource(8)
    isWritten(run)
  })
})
