import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { KeyQueue } from '../../../controller/runtime/queue.ts'
import { Workers } from '../../../controller/runtime/worker.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'

const ERRORS: Readonly<Record<string, Error>> = {
  'a/failed': new KubeError({ kind: 'server', message: 'sorry' }),
  'a/refused': new KubeError({ kind: 'invalid', message: 'no' }),
  'a/bug': new TypeError('a bug'),
}

describe('the breaker of workers', () => {
  it('is told of each pass that the API server made fail, and of each that it answered', async () => {
    const told: string[] = []
    const queue = new KeyQueue({ timers: new VirtualTime(), random: () => 0 })
    const workers = new Workers({
      queue,
      breaker: { succeeded: () => void told.push('answered'), failed: (key) => void told.push(key) },
      reconcile: async (key) => {
        const error = ERRORS[key]
        if (error) throw error
        return 'never'
      },
      caughtUp: async () => undefined,
      timers: new VirtualTime(),
      log: diaryLog(),
      count: 1,
    })
    workers.start()
    for (const key of [...Object.keys(ERRORS), 'a/fine']) {
      queue.add(key)
      await turn()
    }
    expect(told).to.deep.equal(['a/failed', 'answered', 'answered'])
    await workers.stop()
  })
})
