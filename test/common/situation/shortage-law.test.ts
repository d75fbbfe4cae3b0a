import { expect } from 'chai'
import fc from 'fast-check'
import '../../property.ts'
import { aSource } from '../plan/some-run.ts'
import { aCutOver, failBut, isReturned, withAvailable } from '../run/blue-greens.ts'

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
