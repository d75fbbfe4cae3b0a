import { expect } from 'chai'
import { KeyQueue, NO_OBSERVER } from '../../../controller/runtime/queue.ts'
import { MAX_SLOW, type Pass, type Requeue, Workers } from '../../../controller/runtime/worker.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'
import { atWork } from './at-work.ts'

describe('slow passes', () => {
  it('R14: go on without a worker, up to a limit, and are awaited at the stop', async () => {
    const { queue, time, passes, workers } = atWork({ count: 2 })
    const half = (2 + MAX_SLOW) / 2
    for (let index = 0; index < half + 3; index++) queue.add(`a/${index}`)
    await turn()
    expect(passes).to.have.length(2)
    await time.pass(999)
    expect(passes).to.have.length(2)
    await time.pass(1)
    expect(passes).to.have.length(4)
    await time.pass(60_000)
    expect([passes.length, workers.busy], 'half of the slots').to.deep.equal([half, 0])
    passes[0]?.end()
    await turn()
    expect(passes.map(({ key }) => key))
      .to.include(`a/${half}`)
      .and.have.length(half + 1)
    let isStopped = false
    const stopped = workers.stop().then(() => {
      isStopped = true
    })
    for (const each of passes.slice(0, -1)) each.end()
    await turn()
    expect(isStopped).to.equal(false)
    passes.at(-1)?.end()
    await stopped
    expect(time.pending).to.equal(0)
  })

  it('of one namespace do not hold up the passes of another', async () => {
    const { queue, time, passes } = atWork({ count: 16 })
    for (let index = 0; index < 100; index++) queue.add(`a/${index}`)
    await time.pass(20_000)
    queue.add('b/1')
    await turn()
    expect(passes.at(-1)?.key).to.equal('b/1')
  })

  it('of one namespace do not hold up the passes of another when they yield either', async () => {
    const { queue, time, passes } = atWork({ count: 16 })
    for (let index = 0; index < 200; index++) queue.add(`a/${index}`)
    await time.pass(20_000)
    for (let round = 0; round < 3; round++) {
      for (const each of passes) void each.yieldToWrites() // then the status, through the same slow webhook
      await time.pass(20_000)
    }
    queue.add('b/1')
    await turn()
    expect(passes.at(-1)?.key).to.equal('b/1')
  })

  it('are followed by those that have yielded, though no worker has a key', async () => {
    const { queue, time, passes, workers } = atWork({ count: 1 })
    const half = Math.ceil((1 + MAX_SLOW) / 2)
    for (let index = 0; index <= half; index++) queue.add(`a/${index}`)
    await time.pass(half * 1_000 - 500)
    queue.add('b/1')
    let isOver = false
    void passes[0]?.yieldToWrites().then(() => {
      isOver = true
    })
    await time.pass(60_000)
    expect([passes.length, workers.busy, isOver]).to.deep.equal([half + 2, 0, false])
    for (const each of passes.slice(1, 3)) each.end() // of the namespace that has most slots
    await turn()
    expect(isOver).to.equal(true)
    const stopped = workers.stop()
    for (const each of passes) each.end()
    await stopped
    expect(time.pending).to.equal(0)
  })

  it('are followed by those that have yielded long enough before the keys that wait for slots', async () => {
    const { queue, time, passes, workers } = atWork({ count: 16 })
    const half = (16 + MAX_SLOW) / 2
    for (let index = 0; index < 3 * half; index++) queue.add(`a/${index}`)
    await time.pass(1_500)
    let isOver = false
    void passes[0]?.yieldToWrites().then(() => {
      isOver = true
    })
    await time.pass(60_000)
    expect([passes.length, isOver]).to.deep.equal([half + 1, false])
    passes[1]?.end()
    await turn()
    expect([passes.length, isOver]).to.deep.equal([half + 1, true])
    const stopped = workers.stop()
    for (const each of passes) each.end()
    await stopped
    expect(time.pending).to.equal(0)
  })

  for (const namespaces of [1, 3, 12])
    it(`of ${namespaces} namespaces are not aborted because too many yielded before them`, async () => {
      const time = new VirtualTime()
      const queue = new KeyQueue({ timers: time, random: () => 0, observer: NO_OBSERVER })
      const ended: string[] = []
      const aborted: string[] = []
      const written = (afterMs: number) => new Promise<void>((resolve) => time.after(afterMs, resolve))
      const reconcile = async (key: string, { signal, yieldToWrites }: Pass): Promise<Requeue> => {
        signal.addEventListener('abort', () => aborted.push(key))
        await written(100) // the fork
        await yieldToWrites()
        await written(30_000) // the status, through a slow webhook
        ended.push(key)
        return 'never'
      }
      const caughtUp = async () => undefined
      const objectOf = () => undefined
      const workers = new Workers({ queue, timers: time, log: diaryLog(), count: 16, reconcile, caughtUp, objectOf })
      for (let index = 0; index < 600; index++) queue.add(`n${index % namespaces}/${index}`)
      workers.start()
      await time.pass(600_000)
      expect([ended.length, aborted.length]).to.deep.equal([600, 0])
      await workers.stop()
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
