import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { KeyQueue, NO_OBSERVER } from '../../../controller/runtime/queue.ts'
import { type Requeue, Workers } from '../../../controller/runtime/worker.ts'
import { anExperiment } from '../../builders.ts'
import { diaryLog, turn } from '../../virtual-time.ts'
import { atWork } from './at-work.ts'

describe('workers', () => {
  it('tell how long the oldest pass has taken', async () => {
    const { queue, passes, workers, time } = atWork()
    expect(workers.longestMs).to.equal(0)
    queue.add('a/1')
    await time.pass(10_000)
    queue.add('a/2')
    await time.pass(5_000)
    expect(workers.longestMs).to.equal(15_000)
    passes[0]?.end()
    await turn()
    expect(workers.longestMs).to.equal(5_000)
    passes[1]?.fail(new Error('broken'))
    await turn()
    expect(workers.longestMs).to.equal(0)
  })

  it('make as many passes at once as there are workers', async () => {
    const { queue, passes, workers } = atWork()
    for (const key of ['a/1', 'a/2', 'a/3']) queue.add(key)
    await turn()
    expect(passes.map(({ key }) => key)).to.deep.equal(['a/1', 'a/2'])
    expect(workers.busy).to.equal(2)
    passes[0]?.end()
    await turn()
    expect(passes.map(({ key }) => key)).to.deep.equal(['a/1', 'a/2', 'a/3'])
  })

  it('make the next pass when the last one says so', async () => {
    const { queue, time, pass, passes } = atWork({ objects: { 'a/1': { metadata: { name: '1' } } } })
    queue.add('a/1')
    ;(await pass()).end({ afterMs: 7_000 })
    await time.pass(6_999)
    expect(passes).to.have.length(0)
    await time.pass(1)
    ;(await pass()).end('backoff')
    await time.pass(5)
    ;(await pass()).end('backoff')
    await time.pass(9)
    expect(passes).to.have.length(0)
    await time.pass(1)
    ;(await pass()).end('never')
    await time.pass(3_600_000)
    expect([passes.length, queue.entryCount]).to.deep.equal([0, 0])
  })

  it('continue after a pass that throws, and log repeated failures ever more rarely', async () => {
    const { queue, time, pass, log } = atWork()
    queue.add('a/1')
    for (let failures = 1; failures <= 9; failures++) {
      ;(await pass()).fail(new TypeError('a bug'))
      await time.pass(5 * 2 ** (failures - 1))
    }
    // each line has the number of its pass
    expect(log.lines.map(({ text, facts }) => [text, facts.failures, facts.reconcile])).to.deep.equal(
      [1, 2, 4, 8].map((failures) => ['error reconcile failed', failures, failures]),
    )
    ;(await pass()).end()
  })

  it('log key, uid and generation of the object with each failure, and the number of the pass', async () => {
    const { queue, gates, state, pass, log } = atWork({ objects: { 'shop/faster-cart': anExperiment() } })
    state.isGated = true
    queue.add('shop/faster-cart')
    ;(await pass()).fail(new TypeError('a bug'))
    await turn()
    gates[0]?.reject(new Error('another bug'))
    await turn()
    const { uid, generation } = anExperiment().metadata
    const identity = { key: 'shop/faster-cart', uid, generation, reconcile: 1 }
    expect(log.lines.map(({ text }) => text)).to.deep.equal([
      'error reconcile failed',
      'error waiting for the caches failed',
    ])
    for (const { facts } of log.lines) expect(facts).to.deep.include(identity)
  })

  it('log a failure of an object that is gone with its key', async () => {
    const { queue, pass, log } = atWork()
    queue.add('a/1')
    ;(await pass()).fail(new TypeError('a bug'))
    await turn()
    expect(log.lines.map(({ facts }) => [facts.key, facts.uid])).to.deep.equal([['a/1', undefined]])
  })

  it('wait as long as the API server asks, and log no values of a refused body', async () => {
    const { queue, time, pass, passes, log } = atWork()
    queue.add('a/1')
    ;(await pass()).fail(new KubeError({ kind: 'invalid', message: 'bad value: "hunter2"', retryAfterMs: 9_000 }))
    await time.pass(8_999)
    expect(passes).to.have.length(0)
    await time.pass(1)
    ;(await pass()).end()
    const logged = JSON.stringify(log.lines)
    expect(logged).to.include('invalid')
    expect(logged).to.not.include('hunter2')
  })

  it('abort a pass after 90 s, and keep its key until it ends', async () => {
    const { queue, time, pass, passes } = atWork()
    queue.add('a/1')
    const slow = await pass()
    queue.add('a/1')
    await time.pass(89_999)
    expect(slow.signal.aborted).to.equal(false)
    await time.pass(1)
    expect(slow.signal.aborted).to.equal(true)
    expect(passes).to.have.length(0)
    slow.fail(new Error('aborted'))
    await time.pass(5)
    ;(await pass()).end()
  })

  it('keep a key until the caches have its writes, and work on other keys meanwhile', async () => {
    const { queue, gates, state, pass, passes, workers } = atWork({ count: 1 })
    state.isGated = true
    queue.add('a/1')
    ;(await pass()).end()
    queue.add('a/1')
    queue.add('a/2')
    expect((await pass()).key).to.equal('a/2')
    expect([workers.busy, passes.length, gates.length]).to.deep.equal([1, 0, 1])
  })

  it('make the next pass of the key when the caches have them', async () => {
    const { queue, gates, state, pass } = atWork({ count: 1 })
    state.isGated = true
    queue.add('a/1')
    ;(await pass()).end()
    queue.add('a/1')
    await turn()
    gates[0]?.resolve()
    expect((await pass()).key).to.equal('a/1')
  })

  it('make the next pass of the key also when waiting for the caches fails', async () => {
    const { queue, gates, state, pass, log } = atWork({ count: 1 })
    state.isGated = true
    queue.add('a/1')
    ;(await pass()).end()
    queue.add('a/1')
    await turn()
    gates[0]?.reject(new Error('a bug'))
    expect((await pass()).key).to.equal('a/1')
    expect(log.lines.map(({ text }) => text)).to.deep.equal(['error waiting for the caches failed'])
  })

  it('let waiting keys go before a pass that yields, and continue it when none waits', async () => {
    const { queue, pass, passes, workers } = atWork({ count: 1 })
    queue.add('a/1')
    queue.add('a/2')
    const first = await pass()
    const yielded = first.yieldToWrites().then(() => 'continued')
    const second = await pass()
    expect(second.key).to.equal('a/2')
    queue.add('a/1') // stays with its pass until that ends
    expect(await Promise.race([yielded, turn()])).to.equal(undefined)
    second.end()
    expect(await yielded).to.equal('continued')
    expect([workers.busy, passes.length]).to.deep.equal([1, 0])
    first.end()
    expect((await pass()).key).to.equal('a/1')
  })

  it('continue a pass that yields at once when no key waits', async () => {
    const { queue, pass, workers } = atWork({ count: 1 })
    queue.add('a/1')
    await (await pass()).yieldToWrites()
    expect(workers.busy).to.equal(1)
  })

  it('let no pass yield for longer than a second', async () => {
    const { queue, time, pass, passes } = atWork({ count: 1 })
    for (const key of ['a/1', 'a/2', 'a/3']) queue.add(key)
    const first = await pass()
    const yielded = first.yieldToWrites().then(() => 'continued')
    const second = await pass()
    await time.pass(1_000)
    second.end()
    expect(await yielded).to.equal('continued') // though a/3 waits
    expect(passes).to.have.length(0)
    first.end()
    expect((await pass()).key).to.equal('a/3')
  })

  it('end the passes that have yielded before they stop', async () => {
    const { queue, pass, workers } = atWork({ count: 1 })
    queue.add('a/1')
    queue.add('a/2')
    const first = await pass()
    const yielded = first.yieldToWrites().then(() => first.end())
    const second = await pass()
    const stopped = workers.stop()
    second.end()
    await Promise.all([yielded, stopped])
  })

  it('stop when the running passes have ended, and start no more', async () => {
    const { queue, time, pass, passes, workers } = atWork()
    queue.add('a/1')
    const last = await pass()
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
    expect([passes.length, time.pending, workers.busy]).to.deep.equal([0, 0, 0])
  })

  it('let timers and answers in between passes that wait for nothing', async () => {
    const clock = { now: () => nowMs, after: () => () => undefined }
    let nowMs = 0
    let passes = 0
    const queue = new KeyQueue({ timers: clock, random: () => 0, observer: NO_OBSERVER })
    const reconcile = async (): Promise<Requeue> => {
      passes += 1
      nowMs += 2
      return 'never'
    }
    const caughtUp = async () => undefined
    const workers = new Workers({
      queue,
      reconcile,
      caughtUp,
      objectOf: () => undefined,
      timers: clock,
      log: diaryLog(),
    })
    for (let index = 0; index < 1_000; index += 1) queue.add(`shop/${index}`)
    workers.start()
    await turn()
    expect(passes).to.be.within(1, 10)
    while (passes < 1_000) await turn()
    await workers.stop()
  })
})

describe('a pass over an object that is deleted meanwhile', () => {
  it('leaves no time for another pass in the queue', async () => {
    const { queue, time, pass, workers } = atWork()
    queue.add('a/gone')
    ;(await pass()).end({ afterMs: 604_800_000 })
    await time.pass(0)
    expect(queue.entryCount).to.equal(0)
    await workers.stop()
  })
})

describe('workers whose passes lose a race', () => {
  it('N49: log a lost race for those who debug, until it is lost again and again', async () => {
    const { queue, time, pass, log } = atWork()
    queue.add('a/1')
    const lost = new KubeError({ kind: 'conflict', conflictOver: 'object', status: 409, message: 'modified' })
    for (let failures = 1; failures <= 4; failures++) {
      ;(await pass()).fail(lost)
      await time.pass(5 * 2 ** (failures - 1))
    }
    const level = (failures: number) => (failures < 4 ? 'debug' : 'error')
    expect(log.lines.map(({ text }) => text)).to.deep.equal([1, 2, 4].map((each) => `${level(each)} reconcile failed`))
    ;(await pass()).end()
  })
})
