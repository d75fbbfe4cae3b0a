import { expect } from 'chai'
import { MAX_SLOW } from '../../../controller/runtime/worker.ts'
import { turn } from '../../virtual-time.ts'
import { atWork } from './at-work.ts'

describe('slow passes', () => {
  it('R14: go on without a worker, up to a limit, and are awaited at the stop', async () => {
    const { queue, time, passes, workers } = atWork({ count: 2 })
    const total = MAX_SLOW + 3
    for (let index = 0; index < total; index++) queue.add(`a/${index}`)
    await turn()
    expect(passes).to.have.length(2)
    await time.pass(999)
    expect(passes).to.have.length(2)
    await time.pass(1)
    expect(passes).to.have.length(4)
    await time.pass(60_000)
    expect([passes.length, workers.busy]).to.deep.equal([MAX_SLOW + 2, 2])
    queue.add('b/1')
    passes[0]?.end()
    await turn()
    expect(passes, 'the slow pass that ended had no worker').to.have.length(MAX_SLOW + 2)
    for (const each of passes.slice(-2)) each.end()
    await turn()
    expect(passes.slice(-2).map(({ key }) => key)).to.deep.equal([`a/${total - 1}`, 'b/1'])
    let isStopped = false
    const stopped = workers.stop().then(() => {
      isStopped = true
    })
    for (const each of passes.slice(-2)) each.end()
    await turn()
    expect(isStopped).to.equal(false)
    for (const each of passes) each.end()
    await stopped
    expect(time.pending).to.equal(0)
  })

  it('have a second again after they yielded', async () => {
    const { queue, time, pass, passes, workers } = atWork({ count: 1 })
    queue.add('a/1')
    queue.add('a/2')
    const first = await pass()
    const yielding = first.yieldToWrites()
    const second = await pass()
    await time.pass(500)
    second.end()
    await yielding
    expect(workers.busy).to.equal(1)
    queue.add('a/3')
    await time.pass(999)
    expect(passes).to.have.length(0)
    await time.pass(1)
    expect((await pass()).key).to.equal('a/3')
  })
})
