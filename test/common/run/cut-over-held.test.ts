import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import { serving } from '../plan/simulated-pods.ts'
import { aService } from '../plan/simulated-services.ts'
import { aBlueGreen, aCutOver, PREVIEWED, pinsOf, withAvailable } from './blue-greens.ts'
import { imageIn } from './promotions.ts'

describe('a blue-green', () => {
  it('that is paused is not cut over', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    run.world.traffic = { services: [], slices: [] }
    run.rest()
    run.say('pause')
    run.pass()
    expect([run.strategy()?.stepName, run.strategy()?.command?.answer]).to.deep.equal(['cutOver', 'Done'])
    delete run.world.traffic
    run.rest()
    expect(pinsOf(run)[0]).to.equal('shared')
    run.say('resume')
    run.rest()
    expect(pinsOf(run)[0]).to.not.equal('shared')
  })

  /** The source is written, and its own rollout goes on, while somebody takes the pin away again and again. */
  const contested = () => {
    const run = aCutOver(PREVIEWED, { promotion: { mode: 'Automatic' } })
    run.wait(61)
    while (imageIn(run) !== 'example/cart:2') run.pass()
    const { source, services } = run.world
    run.world.source = withAvailable(source, 8)
    run.pass()
    run.world.services = { ...services, active: aService('cart') }
    run.world.lostPins = { repairInMs: 0, isContested: true }
    run.rest()
    return run
  }

  it('whose source is not written is aborted where the pin is not held, and says what to exclude', () => {
    const run = aCutOver()
    run.world.services = { ...run.world.services, active: aService('cart') }
    run.world.lostPins = { repairInMs: 0, isContested: true }
    expect(run.pass().conclusion.run?.moved?.message).to.contain(
      `another client keeps removing the label ${EXPERIMENT_ID} from the selector of service/cart; exclude spec.selector there`,
    )
  })

  it('whose source is written is not aborted where the pin is not held, and keeps its pods open', () => {
    const run = contested()
    expect([run.strategy()?.path, serving(run.world.pods)]).to.deep.equal(['Forward', 10])
    run.world.source = withAvailable(run.world.source, 10)
    run.rest()
    run.wait(31)
    run.rest()
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Promoted', 'example/cart:2'])
  })

  it('whose source is written can be undone where the pin is not held', () => {
    const run = contested()
    run.world.source = withAvailable(run.world.source, 10)
    run.say('undo')
    run.rest()
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Undone', 'example/cart:1'])
  })
})
