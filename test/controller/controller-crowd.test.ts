import { expect } from 'chai'
import { CART_SERVICE, growCrowd, statusWrites } from './crowd.ts'
import { aController, PATHS } from './quiet-controller.ts'

describe('P2: many forks behind one Service that start one after the other', () => {
  for (const count of [50, 300])
    it(`have their statuses written at most four times each when they are ${count}`, async () => {
      const world = aController(CART_SERVICE)
      await world.controller.start()
      world.controller.lead()
      await world.pass(1_000)
      await growCrowd(world, { count, perSecond: 20 })
      await world.controller.stop()
      const last = world.status(`${PATHS.experiments}/copy-0`)
      // with three pods of the source, and one other fork
      expect([last.readyReplicas, last.services?.[0]?.readyEndpoints]).to.deep.equal([1, count + 4])
      expect(statusWrites(world) / count).to.be.within(2, 4)
    })
})
