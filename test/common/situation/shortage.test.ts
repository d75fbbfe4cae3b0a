import { expect } from 'chai'
import fc from 'fast-check'
import type { BlueGreenStrategy } from '../../../common/api/strategy.ts'
import { promisedPods } from '../../../common/situation/shortage.ts'
import { aSource, type RunWorld } from '../plan/some-run.ts'
import { aCutOver, failBut, ID, isReturned, PREVIEWED, pinsOf, withAvailable } from '../run/blue-greens.ts'
import '../../property.ts'

/** A cut-over of ten pods whose run then waits for a command, in a whole second. */
function aLongCutOver(of: Partial<BlueGreenStrategy> = {}): RunWorld {
  const run = aCutOver({ scaleDownDelaySeconds: 86_400, ...of })
  run.world.now = new Date(Math.ceil(run.world.now.getTime() / 1_000) * 1_000)
  return run
}

/** Milliseconds after which the last pass asked for another one at the latest. */
const restMs = (run: RunWorld): number | undefined => run.pass().conclusion.run?.restMs

describe('a fork that gets all requests and has too few ready pods', () => {
  it('N6: sends back to the source after 60 s on end, and says so before', () => {
    const run = aLongCutOver()
    failBut(run, 4)
    run.rest()
    expect([run.reasonOf('TooFewPods'), pinsOf(run)[0]]).to.deep.equal(['TooFewPods', ID])
    expect(run.messageOf('TooFewPods')).to.equal(
      '4 of 10 pods of the fork are ready, and 10 of the source; service/cart sends to the source again if that lasts a minute',
    )
    expect(restMs(run)).to.equal(60_000)
    run.wait(59)
    run.rest()
    expect([isReturned(run), restMs(run)]).to.deep.equal([false, 1_000])
    run.wait(1)
    const { writes, conclusion } = run.pass()
    expect([writes, conclusion.run?.moved]).to.deep.equal([
      [],
      {
        reason: 'Returned',
        message:
          'service/cart sends to the source again, because fewer than 10 pods of the fork were ready for a minute, and 10 of the source',
      },
    ])
    run.rest()
    expect([pinsOf(run)[0], run.reasonOf('TooFewPods')]).to.deep.equal(['shared', undefined])
  })

  it('N6: begins again when it had enough meanwhile', () => {
    const run = aLongCutOver()
    for (let turns = 0; turns < 3; turns += 1) {
      failBut(run, 9)
      run.rest()
      run.wait(59)
      run.rest()
      failBut(run, 10)
      run.rest()
      run.wait(1)
    }
    expect([isReturned(run), run.reasonOf('TooFewPods')]).to.deep.equal([false, undefined])
  })

  it('N6: goes on for other pods, as when each of them crashes again and again', () => {
    const run = aLongCutOver()
    for (let seconds = 0; seconds < 60; seconds += 10) {
      run.world.pods = run.world.pods.map((pod, index) => {
        const isReady = (index + seconds / 10) % 3 === 0
        return { ...pod, hasReadyContainers: isReady, isReady }
      })
      run.rest()
      expect(isReturned(run)).to.equal(false)
      run.wait(10)
    }
    run.rest()
    expect(isReturned(run)).to.equal(true)
  })

  it('N6: keeps its requests while the source has no more ready pods', () => {
    const run = aLongCutOver()
    failBut(run, 4)
    run.world.source = withAvailable(run.world.source, 4)
    run.rest()
    run.wait(3_600)
    run.rest()
    expect([isReturned(run), restMs(run)]).to.deep.equal([false, undefined])
    expect([run.reasonOf('Ready'), run.reasonOf('TooFewPods')]).to.deep.equal(['ProgressDeadlineExceeded', undefined])
  })

  it('N6: sends back only 60 s after the source has more, as when both grow', () => {
    const run = aLongCutOver()
    failBut(run, 4)
    run.world.source = withAvailable(run.world.source, 4)
    run.rest()
    run.wait(90)
    run.world.source = withAvailable(run.world.source, 5)
    run.rest()
    run.wait(59)
    run.rest()
    expect([isReturned(run), restMs(run)]).to.deep.equal([false, 1_000])
    run.wait(1)
    run.rest()
    expect(isReturned(run)).to.equal(true)
  })

  it('N6: may lack as many as blueGreen.maxUnavailable says', () => {
    for (const [maxUnavailable, ready, isEnough] of [
      [1, 9, true],
      [1, 8, false],
      ['25%', 8, true],
      ['25%', 7, false],
      ['100%', 1, true],
    ] as const) {
      const run = aLongCutOver({ maxUnavailable })
      failBut(run, ready)
      run.rest()
      run.wait(60)
      run.rest()
      expect(isReturned(run), `${maxUnavailable} ${ready}`).to.equal(!isEnough)
    }
  })

  it('N6: is never excused without any ready pod', () => {
    const run = aLongCutOver({ maxUnavailable: '100%' })
    failBut(run, 0)
    run.rest()
    expect(isReturned(run)).to.equal(true)
  })

  it('N6: another maxUnavailable begins no other run, and counts at once', () => {
    const run = aLongCutOver()
    const before = run.strategy()
    failBut(run, 4)
    run.rest()
    const strategy = run.world.experiment.spec.strategy?.blueGreen ?? { activeService: 'cart' }
    run.edit({ strategy: { blueGreen: { ...strategy, maxUnavailable: 6 } } })
    run.rest()
    run.wait(600)
    run.rest()
    expect([run.strategy()?.run, run.strategy()?.stepIndex]).to.deep.equal([before?.run, before?.stepIndex])
    expect([isReturned(run), run.reasonOf('TooFewPods')]).to.deep.equal([false, undefined])
  })

  it('N6: shares the requests with a source that has the change, and gets them again when its pods are ready', () => {
    const run = aCutOver(PREVIEWED, { promotion: { mode: 'Automatic' } })
    run.wait(61)
    while (!run.pass().writes.some(({ role }) => role === 'source'));
    run.world.source = withAvailable(run.world.source, 8)
    failBut(run, 4)
    run.pass()
    run.wait(60)
    for (let passes = 0; passes < 4; passes += 1) run.pass()
    expect([run.strategy()?.path, pinsOf(run)[0]]).to.deep.equal(['Forward', 'shared'])
    failBut(run, 10)
    for (let passes = 0; passes < 4; passes += 1) run.pass()
    expect([run.strategy()?.path, pinsOf(run)[0]]).to.deep.equal(['Forward', ID])
  })
})

describe('a drain of nodes under a fork that gets all requests', () => {
  /** The pod of each node is deleted and made again on another one, where it is ready after `seconds`. */
  function drained(run: RunWorld, nodes: number, seconds: number): void {
    for (const { name } of run.world.pods.slice(0, nodes)) {
      const createdAt = run.world.now.toISOString()
      const replace = (isReady: boolean) => {
        run.world.pods = run.world.pods.map((pod) =>
          pod.name === name ? { ...pod, uid: `new-${name}`, createdAt, hasReadyContainers: isReady, isReady } : pod,
        )
      }
      replace(false)
      run.rest()
      run.wait(seconds)
      run.rest()
      replace(true)
    }
    run.rest()
  }

  it('N6: returns nothing while each pod is ready within 60 s, also where the next node follows at once', () => {
    const run = aLongCutOver()
    drained(run, 8, 50)
    expect([isReturned(run), pinsOf(run)[0], run.reasonOf('TooFewPods')]).to.deep.equal([false, ID, undefined])
  })

  it('N6: returns the Service if a pod is not ready within 60 s', () => {
    const run = aLongCutOver()
    drained(run, 1, 60)
    expect(isReturned(run)).to.equal(true)
  })

  it('N6: waits for new pods until the last that is needed is 60 s old, and looks again then', () => {
    const run = aLongCutOver()
    failBut(run, 9)
    run.rest()
    run.wait(50)
    run.world.pods = run.world.pods.map((pod) =>
      pod.isReady ? pod : { ...pod, uid: 'again', createdAt: run.world.now.toISOString() },
    )
    expect(restMs(run)).to.equal(60_000)
    run.wait(20)
    expect([isReturned(run), restMs(run)]).to.deep.equal([false, 40_000])
    run.wait(40)
    run.rest()
    expect(isReturned(run)).to.equal(true)
  })

  it('N6: is no excuse for more than ten minutes on end', () => {
    const run = aLongCutOver()
    for (let minutes = 0; minutes < 11 && !isReturned(run); minutes += 0.5) {
      const createdAt = run.world.now.toISOString()
      failBut(run, 9)
      run.world.pods = run.world.pods.map((pod) => ({ ...pod, createdAt }))
      run.pass()
      run.pass()
      expect(isReturned(run)).to.equal(minutes >= 10)
      run.wait(30)
    }
    expect(isReturned(run)).to.equal(true)
  })
})

describe('the pods that a cut-over promises', () => {
  it('are all of them, but for a number or a percentage of which the part is rounded down', () => {
    const cases = [0, 3, '0%', '25%', '34%', '100%', 12, 'many'].map((amount) => promisedPods(10, amount))
    expect(cases).to.deep.equal([10, 7, 10, 8, 7, 0, 0, 10])
  })
})

describe('the law of too few pods', () => {
  it('N6: the Service is returned after 60 s on end with fewer than promised while the source has more, or with none', () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ ready: fc.integer({ min: 0, max: 4 }), seconds: fc.constantFrom(1, 20, 40, 60) }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.nat(2),
        fc.integer({ min: 1, max: 4 }),
        (history, maxUnavailable, ofSource) => {
          const run = aCutOver({ scaleDownDelaySeconds: 86_400, maxUnavailable }, {})
          run.world.source = aSource(4)
          run.rest()
          run.world.source = withAvailable(run.world.source, ofSource)
          let shortFor = 0
          for (const { ready, seconds } of history) {
            failBut(run, ready)
            run.rest()
            const isShort = ready < 4 - maxUnavailable && ready < ofSource
            shortFor = isShort ? shortFor : 0
            const mayReturn = (at: number) => ready === 0 || (isShort && at >= 60)
            expect(isReturned(run)).to.equal(mayReturn(shortFor))
            if (isReturned(run)) return
            run.wait(seconds)
            run.rest()
            shortFor += isShort ? seconds : 0
            expect(isReturned(run)).to.equal(mayReturn(shortFor))
            if (isReturned(run)) return
          }
        },
      ),
    ))
})
