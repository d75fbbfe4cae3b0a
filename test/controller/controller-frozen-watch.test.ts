import { expect } from 'chai'
import { FORK } from '../builders.ts'
import { EXPERIMENT, running } from './running.ts'

const FORK_PATH = `/apis/apps/v1/namespaces/shop/deployments/${FORK}`

describe('the controller, while the watch of experiments is frozen', () => {
  it('R1: creates the fork of a deleted experiment at most once, although it is collected each time', async () => {
    const { server, controller, settle, time } = running()
    await controller.start()
    controller.lead()
    await settle()
    server.frozen.add('/apis/experimentcontroller.example.com/v1alpha1/experimentdeployments')
    server.remove(EXPERIMENT)
    const before = server.diary.length
    for (let second = 0; second < 60; second += 1) {
      server.remove(FORK_PATH) // as garbage collection does
      await time.pass(1_000)
      await settle()
    }
    const since = server.diary.slice(before)
    expect(since.filter((line) => line === `apply ${FORK_PATH}`)).to.have.length(1)
    expect(since.filter((line) => line === `apply ${EXPERIMENT}/status`)).to.have.length(1)
    expect(server.at(FORK_PATH)).to.equal(undefined)
    await controller.stop()
  })
})
