import { expect } from 'chai'
import { CART_SERVICE, growCrowd, statusWrites } from './crowd.ts'
import { aController, PATHS } from './quiet-controller.ts'

describe('P2: many forks behind one Service that start one after the other', () => {
  for (const { count, writes, passes } of [
    { count: 50, writes: 4, passes: 7 },
    { count: 300, writes: 3.2, passes: 6 },
  ])
    it(`have at most ${passes} passes and ${writes} writes of a status each when they are ${count}`, async () => {
      const world = aController(CART_SERVICE)
      await world.controller.start()
      world.controller.lead()
      await world.pass(1_000)
      await growCrowd(world, { count, perSecond: 20 })
      await world.controller.stop()
      const last = world.status(`${PATHS.experiments}/copy-0`)
      // with three pods of the source, and one other fork
      expect([last.readyReplicas, last.services?.[0]?.readyEndpoints]).to.deep.equal([1, count + 4])
      expect(statusWrites(world) / count).to.be.within(2, writes)
      expect(world.passes() / count).to.be.within(3, passes)
    })
})
