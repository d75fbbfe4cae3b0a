import { expect } from 'chai'
import { KubeError } from '../../../common/kube/errors.ts'
import type { Requeue } from '../../../controller/reconcile/outcome.ts'
import { KeyQueue } from '../../../controller/runtime/queue.ts'
import { Workers } from '../../../controller/runtime/worker.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'

interface Look {
  readonly key: string
  readonly signal: AbortSignal
  readonly giveWay: () => Promise<void>
  end(requeue?: Requeue): void
  fail(error: Error): void
}

/** Running workers; each look at a key lasts until the test ends it. */
function atWork({ count = 2 }: { readonly count?: number } = {}) {
  const time = new VirtualTime()
  const queue = new KeyQueue({ timers: time, random: () => 0 })
  const log = diaryLog()
  const looks: Look[] = []
  const gates: PromiseWithResolvers<void>[] = []
  const state = { isGated: false }
  const workers = new Workers({
    queue,
    timers: time,
    log,
    count,
    reconcile: (key, { signal, giveWay }) => {
      const { promise, resolve, reject } = Promise.withResolvers<Requeue>()
      looks.push({ key, signal, giveWay, end: (requeue = 'never') => resolve(requeue), fail: reject })
      return promise
    },
    caughtUp: async () => {
      if (!state.isGated) return
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      await gate.promise
    },
  })
  workers.start()
  /** The look under way that began last. */
  const look = async (): Promise<Look> => {
    await turn()
    const last = looks.pop()
    if (!last) throw new Error('nobody looks')
    return last
  }
  return { time, queue, log, looks, gates, state, workers, look }
}

describe('workers', () => {
  it('look at as many keys at once as there are workers', async () => {
    const { queue, looks, workers } = atWork()
    for (const key of ['a/1', 'a/2', 'a/3']) queue.add(key)
    await turn()
    expect(looks.map(({ key }) => key)).to.deep.equal(['a/1', 'a/2'])
    expect(workers.busy).to.equal(2)
    looks[0]?.end()
    await turn()
    expect(looks.map(({ key }) => key)).to.deep.equal(['a/1', 'a/2', 'a/3'])
  })

  it('look again when the outcome says so', async () => {
    const { queue, time, look, looks } = atWork()
    queue.add('a/1')
    ;(await look()).end({ afterMs: 7_000 })
    await time.pass(6_999)
    expect(looks).to.have.length(0)
    await time.pass(1)
    ;(await look()).end('backoff')
    await time.pass(5)
    ;(await look()).end('backoff')
    await time.pass(9)
    expect(looks).to.have.length(0)
    await time.pass(1)
    ;(await look()).end('never')
    await time.pass(3_600_000)
    expect([looks.length, queue.held]).to.deep.equal([0, 0])
  })

  it('survive what a look throws, and complain less and less often', async () => {
    const { queue, time, look, log } = atWork()
    queue.add('a/1')
    for (let failures = 1; failures <= 9; failures++) {
      ;(await look()).fail(new TypeError('a bug'))
      await time.pass(5 * 2 ** (failures - 1))
    }
    expect(log.lines.map(({ text, facts }) => [text, facts.failures])).to.deep.equal(
      [1, 2, 4, 8].map((failures) => ['error reconcile failed', failures]),
    )
    ;(await look()).end()
  })

  it('wait as long as the API server asks, and tell of a refused body no values', async () => {
    const { queue, time, look, looks, log } = atWork()
    queue.add('a/1')
    ;(await look()).fail(new KubeError({ kind: 'invalid', message: 'bad value: "hunter2"', retryAfterMs: 9_000 }))
    await time.pass(8_999)
    expect(looks).to.have.length(0)
    await time.pass(1)
    ;(await look()).end()
    const told = JSON.stringify(log.lines)
    expect(told).to.include('invalid')
    expect(told).to.not.include('hunter2')
  })

  it('abort a look after 30 s, and give its key to nobody before it ends', async () => {
    const { queue, time, look, looks } = atWork()
    queue.add('a/1')
    const slow = await look()
    queue.add('a/1')
    await time.pass(29_999)
    expect(slow.signal.aborted).to.equal(false)
    await time.pass(1)
    expect(slow.signal.aborted).to.equal(true)
    expect(looks).to.have.length(0)
    slow.fail(new Error('aborted'))
    ;(await look()).end()
  })

  it('keep a key back until the caches have seen its writes, and work on others meanwhile', async () => {
    const { queue, gates, state, look, looks, workers } = atWork({ count: 1 })
    state.isGated = true
    queue.add('a/1')
    ;(await look()).end()
    queue.add('a/1')
    queue.add('a/2')
    expect((await look()).key).to.equal('a/2')
    expect([workers.busy, looks.length, gates.length]).to.deep.equal([1, 0, 1])
  })

  it('look again once the caches have seen them', async () => {
    const { queue, gates, state, look } = atWork({ count: 1 })
    state.isGated = true
    queue.add('a/1')
    ;(await look()).end()
    queue.add('a/1')
    await turn()
    gates[0]?.resolve()
    expect((await look()).key).to.equal('a/1')
  })

  it('look again also when waiting for the caches fails', async () => {
    const { queue, gates, state, look, log } = atWork({ count: 1 })
    state.isGated = true
    queue.add('a/1')
    ;(await look()).end()
    queue.add('a/1')
    await turn()
    gates[0]?.reject(new Error('a bug'))
    expect((await look()).key).to.equal('a/1')
    expect(log.lines.map(({ text }) => text)).to.deep.equal(['error waiting for the caches failed'])
  })

  it('let a look give way to keys that wait, and go on with it when none does', async () => {
    const { queue, look, looks, workers } = atWork({ count: 1 })
    queue.add('a/1')
    queue.add('a/2')
    const first = await look()
    const gaveWay = first.giveWay().then(() => 'goes on')
    const second = await look()
    expect(second.key).to.equal('a/2')
    queue.add('a/1') // taken until its look has ended
    expect(await Promise.race([gaveWay, turn()])).to.equal(undefined)
    second.end()
    expect(await gaveWay).to.equal('goes on')
    expect([workers.busy, looks.length]).to.deep.equal([1, 0])
    first.end()
    expect((await look()).key).to.equal('a/1')
  })

  it('let a look go on at once where nobody waits', async () => {
    const { queue, look, workers } = atWork({ count: 1 })
    queue.add('a/1')
    await (await look()).giveWay()
    expect(workers.busy).to.equal(1)
  })

  it('let nobody give way for longer than a second', async () => {
    const { queue, time, look, looks } = atWork({ count: 1 })
    for (const key of ['a/1', 'a/2', 'a/3']) queue.add(key)
    const first = await look()
    const gaveWay = first.giveWay().then(() => 'goes on')
    const second = await look()
    await time.pass(1_000)
    second.end()
    expect(await gaveWay).to.equal('goes on') // though a/3 waits
    expect(looks).to.have.length(0)
    first.end()
    expect((await look()).key).to.equal('a/3')
  })

  it('end those that have given way before they stop', async () => {
    const { queue, look, workers } = atWork({ count: 1 })
    queue.add('a/1')
    queue.add('a/2')
    const first = await look()
    const gaveWay = first.giveWay().then(() => first.end())
    const second = await look()
    const stopped = workers.stop()
    second.end()
    await Promise.all([gaveWay, stopped])
  })

  it('stop when the looks under way have ended, and take no more', async () => {
    const { queue, time, look, looks, workers } = atWork()
    queue.add('a/1')
    const last = await look()
    let isOver = false
    const stopped = workers.stop().then(() => {
      isOver = true
    })
    queue.add('a/2')
    await time.pass(19_999)
    expect([isOver, last.signal.aborted]).to.deep.equal([false, false])
    await time.pass(1)
    expect(last.signal.aborted).to.equal(true)
    last.fail(new Error('aborted'))
    await stopped
    expect([looks.length, time.pending, workers.busy]).to.deep.equal([0, 0, 0])
  })
})
