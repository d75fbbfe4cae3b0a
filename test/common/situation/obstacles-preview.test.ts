import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import type { TrafficView } from '../../../common/surroundings/traffic.ts'
import { anExperiment } from '../../builders.ts'
import { previewObstacle } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'
import type { RunWorld } from '../plan/some-run.ts'
import { aBlueGreen, asCreated, change, pinsOf } from '../run/blue-greens.ts'
import { imageIn } from '../run/promotions.ts'

describe('a preview that is gone', () => {
  const withoutPreview = (run: RunWorld) => change(run, 'preview', () => undefined)

  it('N3: promote before the cut-over is refused, and says which Service is missing', () => {
    const run = aBlueGreen()
    run.rest()
    withoutPreview(run)
    run.say('promote')
    run.rest()
    expect(run.strategy()?.command).to.deep.include({
      answer: 'Refused',
      message:
        'promote: service/cart-preview does not exist; create it, or correct spec.strategy.blueGreen.previewService; step 3 of 10, Paused',
    })
    expect([run.step(), pinsOf(run)[0]]).to.deep.equal(['2/10 Paused', 'shared'])
    change(run, 'preview', asCreated)
    run.rest()
    run.say('promote')
    run.rest()
    expect(imageIn(run)).to.equal('example/cart:2')
  })

  it('N3: after the cut-over nobody waits for it, and promote goes to its end', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    run.rest()
    withoutPreview(run)
    run.rest()
    expect([run.step(), run.reasonOf('Ready')]).to.deep.equal(['5/10 Paused', 'Available'])
    run.say('promote')
    run.rest()
    run.wait(31)
    run.rest()
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Promoted', 'example/cart:2'])
  })

  it('N3: it may go while promote cuts over', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('promote')
    run.pass()
    withoutPreview(run)
    run.rest()
    run.wait(31)
    run.rest()
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Promoted', 'example/cart:2'])
  })
})

describe('a preview that is gone, in a review', () => {
  const experiment = anExperiment({ strategy: { blueGreen: { activeService: 'cart', previewService: 'preview' } } })
  const told = (traffic: Partial<TrafficView> | undefined) => {
    const facts = someFacts({ experiment })
    const seen = traffic ? known({ services: [], slices: [], ...traffic }) : unknown('the Services')
    return previewObstacle({ ...facts, surroundings: { ...facts.surroundings, traffic: seen } })
  }

  it('N3: is told where the Services are known', () => {
    expect(told({})).to.equal(
      'service/preview does not exist, or has no selector; create it, or correct spec.strategy.blueGreen.previewService',
    )
    expect(told({ services: [{ name: 'preview', selector: { app: 'cart' } }] })).to.equal(undefined)
    expect(told({ unread: [{ name: 'service/preview', unread: '2 MiB' }] })).to.equal(undefined)
    expect(told(undefined)).to.equal(undefined)
  })
})
