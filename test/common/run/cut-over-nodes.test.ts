import { expect } from 'chai'
import { NODES_MS } from '../../../common/strategy/gate.ts'
import { FORK } from '../../builders.ts'
import { aBlueGreen, asCreated, change, ID, pinsOf } from './blue-greens.ts'
import { imageIn } from './promotions.ts'

/** For how long the slices are as they are now. */
const listedFor = (listedMs: number, previewListedMs = listedMs) => ({
  repairInMs: 0,
  isContested: false,
  listedMs,
  previewListedMs,
})

describe('a blue-green whose Service has just been limited to the fork', () => {
  it('N4: is not told to be previewed before every node knows the preview', () => {
    const run = aBlueGreen()
    run.world.lostPins = listedFor(0)
    run.rest()
    expect([run.step(), pinsOf(run)[1], run.reasonOf('Paused')]).to.deep.equal(['1/10 Progressing', ID, undefined])
    expect(run.messageOf()).to.equal('service/cart-preview sends only to the fork as soon as all nodes know it')
    run.world.lostPins = listedFor(NODES_MS - 500)
    expect(run.pass().conclusion).to.deep.include({ is: 'waiting', retryAfterMs: 500 })
    run.world.lostPins = listedFor(NODES_MS)
    run.rest()
    expect([run.step(), run.reasonOf('Paused')]).to.deep.equal(['2/10 Paused', 'Previewing'])
  })

  it('N4: is not told to be cut over before every node knows the active Service', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    run.world.lostPins = listedFor(0, NODES_MS)
    run.rest()
    expect([run.step(), pinsOf(run)[0], run.reasonOf('CutOver')]).to.deep.equal(['4/10 Progressing', ID, undefined])
    run.world.lostPins = listedFor(NODES_MS)
    run.rest()
    expect([run.step(), run.reasonOf('CutOver')]).to.deep.equal(['5/10 Paused', 'CutOver'])
  })

  it('N4: writes the source by promote only then', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('promote')
    run.world.lostPins = listedFor(0, NODES_MS)
    run.rest()
    expect([pinsOf(run)[0], imageIn(run)]).to.deep.equal([ID, 'example/cart:1'])
    run.world.lostPins = listedFor(NODES_MS)
    run.rest()
    expect(imageIn(run)).to.equal('example/cart:2')
  })

  it('N4: waits at no other step, and stays told while pods come and go', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    run.rest()
    run.world.lostPins = listedFor(0)
    run.rest()
    expect([run.step(), run.reasonOf('CutOver'), run.reasonOf('Ready')]).to.deep.equal([
      '5/10 Paused',
      'CutOver',
      'Available',
    ])
    run.wait(31)
    run.rest()
    expect(run.strategy()?.stepName).to.equal('await')
  })

  it('N4: is told again only then, if the preview was lost', () => {
    const run = aBlueGreen()
    run.rest()
    change(run, 'preview', asCreated)
    run.world.lostPins = { ...listedFor(0), previewRepairInMs: 500 }
    run.pass()
    expect(run.reasonOf('Paused')).to.equal('PauseStep')
    run.world.lostPins = listedFor(0)
    run.rest()
    expect([pinsOf(run)[1], run.reasonOf('Paused')]).to.deep.equal([ID, 'PauseStep'])
    expect(run.pass().conclusion.run?.restMs).to.equal(NODES_MS)
    run.world.lostPins = listedFor(NODES_MS)
    run.rest()
    expect(run.reasonOf('Paused')).to.equal('Previewing')
  })

  it('N1: is stalled where a pod is open and never ready, as by a readiness gate of somebody else', () => {
    const run = aBlueGreen()
    run.rest()
    run.world.traffic = { services: [], slices: [{ service: 'cart', ready: [{ address: 'a', pod: `${FORK}-1` }] }] }
    run.say('resume')
    run.rest()
    const told = () => [run.reasonOf('Ready'), run.messageOf('Ready'), run.reasonOf('Stalled'), pinsOf(run)[0]]
    const message = 'service/cart lists 1 of 10 open pods of the fork; all have to be ready'
    expect(told()).to.deep.equal(['PodsNotReady', message, undefined, 'shared'])
    run.wait(600)
    run.rest()
    expect(told()).to.deep.equal(['PodsNotReady', message, 'PodsNotReady', 'shared'])
    delete run.world.traffic
    run.rest()
    expect([run.step(), pinsOf(run)[0]]).to.deep.equal(['5/10 Paused', ID])
  })
})
