import { expect } from 'chai'
import type { PromotionSpec } from '../../../common/api/strategy.ts'
import { at } from '../../../common/json/json.ts'
import { imageOverride } from '../../builders.ts'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld } from '../plan/some-run.ts'
import { imageIn } from './promotions.ts'

const RECREATED = { ...imageOverride('example/cart:2'), strategy: { type: 'Recreate' } }
const STRATEGY = { canary: { steps: [{ setWeight: 10 }] } }

/** A run whose revision was approved, and which has promoted it. */
function approved() {
  const run = aRun(aRunExperiment({ strategy: STRATEGY, promotion: { mode: 'Manual' } }))
  run.rest()
  run.edit({ promotion: approvalOf(run) })
  ends(run)
  expect([run.step(), imageIn(run)]).to.deep.equal(['4/4 Promoted', 'example/cart:2'])
  return run
}

const approvalOf = (run: RunWorld): PromotionSpec => ({
  mode: 'Manual',
  approvedRevision: run.strategy()?.wholeRevision ?? '',
})

/** Lets the run go on as far as it does by itself. */
function ends(run: RunWorld) {
  run.rest()
  run.wait(30)
  run.rest()
}

describe('the approval of a revision', () => {
  const edits: Readonly<Record<string, RunOf>> = {
    'the strategy of the source': { overrideSpec: RECREATED },
    'who may declare the source': { promotion: { mode: 'Manual', force: true } },
  }
  for (const [what, edit] of Object.entries(edits))
    it(`does not count for a later edit of ${what}, which has the same pods`, () => {
      const run = approved()
      const promotion = { ...approvalOf(run), ...edit.promotion }
      run.world.source = aSource()
      run.edit({ ...edit, promotion })
      ends(run)
      expect([run.step(), run.reasonOf('Paused')]).to.deep.equal(['1/4 Paused', 'AwaitingPromotion'])
      expect([imageIn(run), at(run.world.source?.spec, 'strategy')]).to.deep.equal(['example/cart:1', undefined])
      run.edit({ promotion: { ...promotion, ...approvalOf(run), ...edit.promotion } })
      ends(run)
      expect([run.step(), imageIn(run)]).to.deep.equal(['4/4 Promoted', 'example/cart:2'])
    })

  it('does not promote again what was undone, when somebody edits the steps', () => {
    const run = approved()
    run.say('undo')
    run.rest()
    expect(imageIn(run)).to.equal('example/cart:1')
    run.edit({ strategy: { canary: { steps: [{ setWeight: 20 }] } } })
    ends(run)
    expect([run.step(), imageIn(run)]).to.deep.equal(['1/4 Paused', 'example/cart:1'])
  })

  it('counts for the same run, whatever else is edited, and when it begins again', () => {
    const run = aRun(aRunExperiment({ strategy: STRATEGY, promotion: { mode: 'Manual' } }))
    run.rest()
    const promotion = approvalOf(run)
    run.say('abort')
    run.rest()
    run.edit({ promotion, replicas: 3, ttlSeconds: 90_000 })
    run.say('retry')
    ends(run)
    expect([run.step(), imageIn(run)]).to.deep.equal(['4/4 Promoted', 'example/cart:2'])
  })
})
