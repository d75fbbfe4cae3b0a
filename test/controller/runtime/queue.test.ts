import { expect } from 'chai'
import { KeyQueue, keyOf, NO_OBSERVER } from '../../../controller/runtime/queue.ts'
import { anExperiment } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'

/** A queue in virtual time, whose backoff has no jitter. */
function aQueue() {
  const time = new VirtualTime()
  const queue = new KeyQueue({ timers: time, random: () => 0, observer: NO_OBSERVER })
  /** The next key, or undefined when none is ready. */
  const take = async (): Promise<string | undefined> => {
    const depth = queue.depth
    return depth > 0 ? queue.get() : undefined
  }
  return { time, queue, take }
}

describe('a queue of keys', () => {
  it('hands out a key once, although it was added twice', async () => {
    const { queue, take } = aQueue()
    queue.add('shop/cart')
    queue.add('shop/cart')
    expect([await take(), await take()]).to.deep.equal(['shop/cart', undefined])
  })

  it('hands out a key that was added during its pass again, but only after `done`', async () => {
    const { queue, take } = aQueue()
    queue.add('shop/cart')
    await take()
    queue.add('shop/cart')
    expect(await take()).to.equal(undefined)
    queue.done('shop/cart')
    expect(await take()).to.equal('shop/cart')
  })

  it('lets namespaces take turns, and keeps the order within each', async () => {
    const { queue, take } = aQueue()
    for (const key of ['a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'b/2']) queue.add(key)
    const order: (string | undefined)[] = []
    for (let i = 0; i < 6; i++) order.push(await take())
    expect(order).to.deep.equal(['a/1', 'b/1', 'c/1', 'a/2', 'b/2', 'a/3'])
  })

  it('lets namespaces take turns also when their times come at once and workers are waiting', async () => {
    const { queue, time } = aQueue()
    for (const key of ['a/1', 'a/2', 'b/1']) queue.addAfter(key, 10)
    const handedOut = [queue.get(), queue.get()]
    await time.pass(10)
    expect(await Promise.all(handedOut)).to.deep.equal(['a/1', 'b/1'])
  })

  it('gives a key to a worker that is already waiting', async () => {
    const { queue } = aQueue()
    const first = queue.get()
    const second = queue.get()
    queue.add('a/1')
    queue.add('a/2')
    expect([await first, await second]).to.deep.equal(['a/1', 'a/2'])
  })

  it('adds a key at the earliest of several times, with one timer for all keys', async () => {
    const { queue, time } = aQueue()
    queue.addAfter('shop/cart', 5_000)
    queue.addAfter('shop/cart', 9_000)
    queue.addAfter('shop/cart', 3_000)
    queue.addAfter('shop/till', 4_000)
    expect(time.pending).to.equal(1)
    await time.pass(2_999)
    expect(queue.depth).to.equal(0)
    await time.pass(1)
    expect(queue.depth).to.equal(1)
    await time.pass(600_000)
    expect(queue.depth).to.equal(2)
    expect(time.pending).to.equal(0)
  })

  it('adds a key at once when its time is now or in the past', () => {
    const { queue } = aQueue()
    queue.addAfter('shop/cart', 0)
    queue.addAfter('shop/till', -5)
    expect(queue.depth).to.equal(2)
  })

  it('waits longer than a timer of Node.js can', async () => {
    const { queue, time } = aQueue()
    const fiftyDaysMs = 50 * 86_400_000
    queue.addAfter('shop/cart', fiftyDaysMs)
    await time.pass(fiftyDaysMs - 1)
    expect(queue.depth).to.equal(0)
    await time.pass(1)
    expect(queue.depth).to.equal(1)
  })

  it('doubles the wait with each failure up to a minute, and resets it after a success', async () => {
    const { queue, time, take } = aQueue()
    const waits = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 40_960, 60_000, 60_000]
    for (const [failures, waitMs] of waits.entries()) {
      expect(queue.retry('shop/cart')).to.equal(failures + 1)
      await time.pass(waitMs - 1)
      expect(queue.depth).to.equal(0)
      await time.pass(1)
      expect(await take()).to.equal('shop/cart')
      queue.done('shop/cart')
    }
    queue.succeed('shop/cart')
    expect(queue.retry('shop/cart')).to.equal(1)
  })

  it('R1: keeps the backoff of a failing key, whatever events come, also those that came during its pass', async () => {
    const { queue, time, take } = aQueue()
    let passes = 0
    for (queue.add('shop/cart'); time.now() < 60_000; await time.pass(1)) {
      queue.add('shop/cart')
      if ((await take()) === undefined) continue
      passes += 1
      queue.add('shop/cart')
      queue.retry('shop/cart')
      queue.done('shop/cart')
    }
    expect(passes).to.equal(14) // after 0, 5, 15, 35 … 20,475 and 40,955 ms
  })

  it('R1: lets a changed experiment go at once, also one that changed during the pass that fails', async () => {
    const { queue, take } = aQueue()
    queue.add('shop/cart')
    await take()
    for (let failure = 0; failure < 20; failure++) queue.retry('shop/cart')
    queue.done('shop/cart')
    expect(queue.depth).to.equal(0)
    queue.addChanged('shop/cart')
    expect(await take()).to.equal('shop/cart')
    queue.addChanged('shop/cart')
    expect(queue.retry('shop/cart')).to.equal(1)
    queue.done('shop/cart')
    expect(await take()).to.equal('shop/cart')
  })

  it('waits at least as long as the caller says', async () => {
    const { queue, time } = aQueue()
    queue.retry('shop/cart', 7_000)
    await time.pass(6_999)
    expect(queue.depth).to.equal(0)
    await time.pass(1)
    expect(queue.depth).to.equal(1)
  })

  it('reports keys that are added, retried and handed out, and how long each waited', async () => {
    const time = new VirtualTime()
    const events: unknown[] = []
    const observer = {
      added: () => void events.push('added'),
      retried: () => void events.push('retried'),
      waited: (seconds: number) => void events.push(seconds),
    }
    const queue = new KeyQueue({ timers: time, random: () => 0, observer })
    queue.add('a/1')
    queue.add('a/1')
    await time.pass(2_000)
    await queue.get()
    queue.retry('a/1')
    await time.pass(5)
    queue.done('a/1')
    expect(events).to.deep.equal(['added', 2, 'retried', 'added'])
  })

  it('keeps no entry of a forgotten key', () => {
    const { queue, time } = aQueue()
    queue.retry('shop/cart')
    queue.addAfter('shop/cart', 1_000)
    queue.forget('shop/cart')
    expect([queue.entryCount, time.pending]).to.deep.equal([0, 0])
  })

  it('ends waiting workers on shutdown, and ignores every later key', async () => {
    const { queue, time } = aQueue()
    queue.add('a/1')
    await queue.get()
    queue.add('a/1')
    queue.addAfter('a/2', 1_000)
    const waiting = queue.get()
    queue.shutdown()
    queue.add('a/3')
    queue.addAfter('a/4', 1)
    queue.retry('a/5')
    expect(await waiting).to.equal(undefined)
    expect(await queue.get()).to.equal(undefined)
    queue.done('a/1')
    expect([queue.entryCount, queue.depth, time.pending]).to.deep.equal([0, 0, 0])
  })
})

describe('keyOf', () => {
  it('is the namespace and the name', () => expect(keyOf(anExperiment())).to.equal('shop/faster-cart'))
})
