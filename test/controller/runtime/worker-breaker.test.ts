import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { KeyQueue, NO_OBSERVER } from '../../../controller/runtime/queue.ts'
import { Workers } from '../../../controller/runtime/worker.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'
import { atWork } from './at-work.ts'

const ERRORS: Readonly<Record<string, Error>> = {
  'a/failed': new KubeError({ kind: 'server', message: 'sorry' }),
  'a/refused': new KubeError({ kind: 'invalid', message: 'no' }),
  'a/bug': new TypeError('a bug'),
}

describe('the breaker of workers', () => {
  it('is told of each pass that the API server made fail, and of each other, with the answers before it', async () => {
    const told: string[] = []
    let answers = 0
    const queue = new KeyQueue({ timers: new VirtualTime(), random: () => 0, observer: NO_OBSERVER })
    const workers = new Workers({
      queue,
      breaker: {
        get answers() {
          return answers
        },
        succeeded: (before) => void told.push(`${before} answers before`),
        failed: (key) => void told.push(key),
      },
      reconcile: async (key) => {
        answers += 1
        const error = ERRORS[key]
        if (error) throw error
        return 'never'
      },
      caughtUp: async () => undefined,
      objectOf: () => undefined,
      timers: new VirtualTime(),
      log: diaryLog(),
      count: 1,
    })
    workers.start()
    for (const key of [...Object.keys(ERRORS), 'a/fine']) {
      queue.add(key)
      await turn()
    }
    expect(told).to.deep.equal(['a/failed', '1 answers before', '3 answers before'])
    await workers.stop()
  })
})

describe('a pass that yields', () => {
  it('continues when the queue pauses after it, though keys wait', async () => {
    const { queue, pass, passes, workers } = atWork()
    for (const key of ['a/1', 'a/2', 'a/3', 'a/4']) queue.add(key)
    const second = await pass()
    const first = await pass()
    const yielded = first.yieldToWrites().then(() => 'continued')
    const third = await pass()
    expect(third.key).to.equal('a/3')
    queue.pause()
    second.end() // its worker was the first one without a key
    expect(await Promise.race([yielded, turn()])).to.equal('continued')
    first.end()
    third.end()
    await turn()
    expect([passes.length, workers.busy, workers.longestMs, queue.depth]).to.deep.equal([0, 0, 0, 1])
    queue.resume([])
    expect((await pass()).key).to.equal('a/4')
  })

  it('continues when the last worker becomes free during the pause', async () => {
    const { queue, time, pass, workers } = atWork({ count: 1 })
    for (const key of ['a/1', 'a/2', 'a/3', 'a/4']) queue.add(key)
    const first = await pass()
    const yielded = [first.yieldToWrites()]
    const second = await pass()
    yielded.push(second.yieldToWrites())
    const third = await pass()
    queue.pause()
    await time.pass(500)
    third.fail(new KubeError({ kind: 'throttled', message: 'too many' }))
    await yielded[0]
    first.end()
    await yielded[1]
    second.end()
    await turn()
    expect([workers.busy, workers.longestMs, queue.depth]).to.deep.equal([0, 0, 1])
  })

  it('continues when the pause begins in the moment in which it yields', async () => {
    const { queue, pass } = atWork({ count: 1 })
    for (const key of ['a/1', 'a/2']) queue.add(key)
    const first = await pass()
    const yielded = first.yieldToWrites().then(() => 'continued')
    queue.pause()
    expect(await Promise.race([yielded, turn()])).to.equal('continued')
  })

  it('continues at once while the queue is paused', async () => {
    const { queue, pass } = atWork({ count: 1 })
    for (const key of ['a/1', 'a/2']) queue.add(key)
    const first = await pass()
    queue.pause()
    const yielded = first.yieldToWrites().then(() => 'continued')
    expect(await Promise.race([yielded, turn()])).to.equal('continued')
  })
})
