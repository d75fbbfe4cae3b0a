import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { openPods } from '../../../common/strategy/gate.ts'
import type { TrafficView } from '../../../common/surroundings/traffic.ts'
import { anExperiment } from '../../builders.ts'
import { previewObstacle } from '../of-facts.ts'
import { serving } from '../plan/simulated-pods.ts'
import { someFacts } from '../plan/some-facts.ts'
import type { RunWorld } from '../plan/some-run.ts'
import {
  aBlueGreen,
  aPortlessBlueGreen,
  asCreated,
  change,
  ID,
  OBSTACLES,
  PREVIEWED,
  pinsOf,
} from '../run/blue-greens.ts'
import { imageIn } from '../run/promotions.ts'

/** Passes until the first pod is open. */
function untilOpen(run: RunWorld): void {
  while (openPods(run.world.pods) === 0) run.pass()
}

/** The reason that is told, and how many pods are open. */
const seen = (run: RunWorld) => [run.reasonOf('Ready'), openPods(run.world.pods)]

const entries = Object.entries(OBSTACLES)

describe('the pods of a blue-green that may have requests', () => {
  for (const [reason, obstacle] of entries) {
    it(`N1: none before its cut-over, while there is an obstacle: ${reason}`, () => {
      const run = aPortlessBlueGreen({ autoPromotionEnabled: true })
      change(run, 'active', obstacle)
      run.rest()
      expect([seen(run), run.step()]).to.deep.equal([[reason, 0], '2/8 Progressing'])
      change(run, 'active', asCreated)
      run.rest()
      expect([pinsOf(run)[0], serving(run.world.pods)]).to.deep.equal([ID, 10])
    })

    it(`N1: none where the obstacle appears during the preview, after resume: ${reason}`, () => {
      const run = aPortlessBlueGreen()
      run.rest()
      change(run, 'active', obstacle)
      run.say('resume')
      run.rest()
      expect([seen(run), run.step()]).to.deep.equal([[reason, 0], '4/10 Progressing'])
    })

    it(`N1: none after promote, which then writes nothing: ${reason}`, () => {
      const run = aPortlessBlueGreen()
      run.rest()
      change(run, 'active', obstacle)
      run.say('promote')
      run.rest()
      expect([seen(run), run.step()]).to.deep.equal([[reason, 0], '7/10 Progressing'])
      expect(imageIn(run)).to.equal('example/cart:1')
      change(run, 'active', asCreated)
      run.rest()
      expect(imageIn(run)).to.equal('example/cart:2')
    })

    it(`N1: none any more where the obstacle appears after they were opened: ${reason}`, () => {
      const run = aPortlessBlueGreen()
      run.rest()
      run.say('resume')
      untilOpen(run)
      change(run, 'active', obstacle)
      run.rest()
      expect(seen(run)).to.deep.equal([reason, 0])
    })

    it(`N1: none any more where the obstacle takes away the cut-over; it comes back without it: ${reason}`, () => {
      const run = aPortlessBlueGreen()
      run.rest()
      run.say('resume')
      run.rest()
      expect(pinsOf(run)[0]).to.equal(ID)
      change(run, 'active', (service) => obstacle(asCreated(service)))
      run.rest()
      expect(seen(run)).to.deep.equal([reason, 0])
      change(run, 'active', asCreated)
      run.rest()
      expect([pinsOf(run)[0], serving(run.world.pods), run.step()]).to.deep.equal([ID, 10, '5/10 Paused'])
    })

    it(`N1: none while the preview, which is tested before the cut-over, has the obstacle: ${reason}`, () => {
      const run = aPortlessBlueGreen()
      run.rest()
      change(run, 'preview', (service) => obstacle(asCreated(service)))
      run.say('resume')
      run.rest()
      expect([seen(run), pinsOf(run)[0]]).to.deep.equal([[reason, 0], 'shared'])
      change(run, 'preview', asCreated)
      run.rest()
      expect([pinsOf(run), serving(run.world.pods)]).to.deep.equal([[ID, ID], 10])
    })
  }

  it('N1: all of them where a Service that sends only to them gets an obstacle', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    run.rest()
    change(run, 'active', OBSTACLES.ServiceIsManaged ?? asCreated)
    run.rest()
    expect([pinsOf(run)[0], serving(run.world.pods)]).to.deep.equal([ID, 10])
  })

  it('N1: all of them where the Service selects only the fork by other labels, because nobody else would answer', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    run.rest()
    change(run, 'active', OBSTACLES.ServiceDoesNotMatch ?? asCreated)
    const ready = run.world.pods.map(({ name }) => ({ address: name, pod: name }))
    run.world.traffic = { services: [], slices: [{ service: 'cart', ready }] }
    run.rest()
    expect(seen(run)).to.deep.equal(['ServiceDoesNotMatch', 10])
  })

  it('N1: none while the Service cannot be read, and as many as before if some are open', () => {
    const unread = (run: RunWorld) => {
      const facts = run.facts()
      if (facts.cutOver?.services.is !== 'known') throw new Error('they are known')
      const value = { ...facts.cutOver.services.value, active: { is: 'unknown', because: 'too large' } as const }
      return { cutOver: { services: { is: 'known', value } as const } }
    }
    const run = aBlueGreen({ autoPromotionEnabled: true })
    while (run.step() !== '2/8 Progressing') run.pass()
    run.rest(40, unread(run))
    expect(seen(run)).to.deep.equal(['ServiceNotFound', 0])
    run.rest()
    expect(serving(run.world.pods)).to.equal(10)
    run.rest(40, unread(run))
    expect(openPods(run.world.pods)).to.equal(10)
  })

  it('N1: none while the cut-over is paused', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    untilOpen(run)
    run.sayUnstamped('pause')
    run.rest()
    expect([run.strategy()?.stepName, pinsOf(run)[0], openPods(run.world.pods)]).to.deep.equal(['cutOver', 'shared', 0])
    run.say('resume')
    run.rest()
    expect([pinsOf(run)[0], serving(run.world.pods)]).to.deep.equal([ID, 10])
  })

  it('N1: none before all of them are ready, because the Service then has both versions for long', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    untilOpen(run)
    const [first, ...others] = run.world.pods
    if (!first) throw new Error('there are pods')
    run.world.pods = [{ ...first, hasReadyContainers: false, isReady: false }, ...others]
    run.rest()
    expect([pinsOf(run)[0], openPods(run.world.pods)]).to.deep.equal(['shared', 0])
    run.world.pods = run.world.pods.map((pod) => ({ ...pod, hasReadyContainers: true }))
    run.rest()
    expect([pinsOf(run)[0], serving(run.world.pods)]).to.deep.equal([ID, 10])
  })

  it('N1: as many as before once the source may have the change', () => {
    const run = aBlueGreen(PREVIEWED, { promotion: { mode: 'Automatic' } })
    run.rest()
    run.say('promote')
    while (imageIn(run) !== 'example/cart:2') run.pass()
    change(run, 'active', OBSTACLES.ServiceNotFound ?? asCreated)
    run.pass()
    expect(openPods(run.world.pods)).to.equal(10)
  })
})

describe('an obstacle', () => {
  const atObstacle = (source?: KubeObject) => {
    const run = aBlueGreen({ autoPromotionEnabled: true })
    if (source) run.world.source = source
    change(run, 'active', () => undefined)
    run.rest()
    return run
  }

  it('N1: that may go away by itself stalls the run after ten minutes, and goes on when it is gone', () => {
    const run = atObstacle()
    expect([run.reasonOf('Stalled'), run.reasonOf('Progressing')]).to.deep.equal([undefined, 'ServiceNotFound'])
    run.wait(599)
    run.rest()
    expect(run.reasonOf('Stalled')).to.equal(undefined)
    run.wait(2)
    expect(run.pass().conclusion).to.deep.include({ is: 'stalled', reason: 'ServiceNotFound' })
    expect(run.reasonOf('Stalled')).to.equal('ServiceNotFound')
    expect(run.messageOf('Stalled')).to.equal(
      'service/cart does not exist; create it, or correct spec.strategy.blueGreen.activeService',
    )
    expect(run.pass().conclusion.run?.restMs, 'it is looked at again').to.equal(10_000)
    change(run, 'active', asCreated)
    run.rest()
    expect([run.reasonOf('Stalled'), pinsOf(run)[0]]).to.deep.equal([undefined, ID])
  })

  it('N1: stalls the run after the progress deadline of the fork', () => {
    const run = aBlueGreen({ autoPromotionEnabled: true })
    const { source } = run.world
    const deadline = source && { ...source, spec: { ...(source.spec as object), progressDeadlineSeconds: 60 } }
    const waiting = atObstacle(deadline as KubeObject)
    waiting.wait(61)
    waiting.rest()
    expect(waiting.reasonOf('Stalled')).to.equal('ServiceNotFound')
  })

  it('N1: that appears late does not stall the run at once', () => {
    const run = aBlueGreen()
    run.rest()
    run.wait(3_600)
    change(run, 'preview', () => undefined)
    run.rest()
    expect([run.reasonOf('Ready'), run.reasonOf('Stalled')]).to.deep.equal(['ServiceNotFound', undefined])
  })
})

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
