import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { ServiceView } from '../../../common/surroundings/traffic.ts'
import { FORK } from '../../builders.ts'
import { trafficOf } from '../plan/simulated-services.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from '../plan/some-run.ts'
import { available } from '../plan/some-world.ts'
import { aCutOver, ID } from './blue-greens.ts'
import { imageIn } from './promotions.ts'

/** The source keeps its image, and the status says why. */
const waits = (run: RunWorld, reason: string, message: string) => {
  run.rest()
  expect([imageIn(run), run.reasonOf('Ready')]).to.deep.equal(['example/cart:1', reason])
  expect(run.messageOf()).to.contain(message)
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

  describe('is another experiment to which a Service of the source is cut over', () => {
    const OTHER = '0123456789'
    const pinned = (name: string, of: Partial<ServiceView> = {}): ServiceView => ({
      name,
      selector: { app: 'cart', [EXPERIMENT_ID]: OTHER },
      ...of,
    })
    /** A run whose source takes down no pod, so that its fork has one. */
    const behind = (...services: readonly ServiceView[]) => {
      const run = automatic(aSource(10, 'example/cart:1', { strategy: { rollingUpdate: { maxUnavailable: 0 } } }))
      const slices = [{ service: 'cart', ready: [{ address: 'uid-of-pod', pod: `${FORK}-abc-x` }] }]
      run.world.traffic = { services, slices }
      return run
    }

    it('N37c: but not where the id is that of no experiment', () => {
      isWritten(behind(pinned('nobody')))
      isWritten(behind(pinned('nobody'), { name: 'cart', selector: { app: 'cart' } }))
    })

    it('N37c: but not where only pods of no experiment answer to the id', () => {
      const run = behind(pinned('nobody'))
      const slices = [{ service: 'nobody', ready: [{ address: '10.0.0.1', pod: 'nobody-1' }] }]
      run.world.traffic = { services: [pinned('nobody')], slices }
      isWritten(run)
    })

    it('until that is over', () => {
      const run = behind(pinned('cart'))
      waits(run, 'SourceIsBusy', `service/cart sends only to the experiment with the id ${OTHER}`)
      run.world.traffic = { services: [], slices: [] }
      isWritten(run)
    })

    it('even if that Service lists pods that are not ready', () =>
      waits(behind(pinned('cart', { publishesNotReady: true })), 'SourceIsBusy', 'service/cart'))

    it('but not one that is only tested through a preview', () =>
      isWritten(behind({ name: 'cart', selector: { app: 'cart' } }, pinned('preview', { publishesNotReady: true }))))

    it('but not one that is only tested through a preview, while the other Services send to its own fork', () => {
      const run = aCutOver({})
      const { services = [], slices = [] } = run.world.services ? trafficOf(run.world.services, run.world) : {}
      const own = services.filter(({ name }) => name === 'cart')
      expect(own[0]?.selector[EXPERIMENT_ID]).to.equal(ID)
      run.world.traffic = { services: [...own, pinned('preview', { publishesNotReady: true })], slices }
      run.say('promote')
      isWritten(run)
    })

    it('but not one of another source, and not its own fork', () => {
      isWritten(behind(pinned('stock', { selector: { app: 'stock', [EXPERIMENT_ID]: OTHER } })))
      const run = aCutOver()
      run.say('promote')
      isWritten(run)
    })
  })
})
