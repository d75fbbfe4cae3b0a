import type { KubeObject } from '../../../common/api/object.ts'
import { KeyQueue, NO_OBSERVER } from '../../../controller/runtime/queue.ts'
import { type Requeue, Workers } from '../../../controller/runtime/worker.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'

interface StartedPass {
  readonly key: string
  readonly signal: AbortSignal
  readonly yieldToWrites: () => Promise<void>
  end(requeue?: Requeue): void
  fail(error: Error): void
}

interface AtWork {
  readonly count?: number
  /** what the cache has, by key */
  readonly objects?: Readonly<Record<string, Pick<KubeObject, 'metadata'>>>
}

/** Running workers. Each pass lasts until the test ends it. */
export function atWork({ count = 2, objects = {} }: AtWork = {}) {
  const time = new VirtualTime()
  const queue = new KeyQueue({ timers: time, random: () => 0, observer: NO_OBSERVER })
  const log = diaryLog()
  const passes: StartedPass[] = []
  const gates: PromiseWithResolvers<void>[] = []
  const state = { isGated: false }
  const workers = new Workers({
    queue,
    timers: time,
    log,
    count,
    reconcile: (key, { signal, yieldToWrites }) => {
      const { promise, resolve, reject } = Promise.withResolvers<Requeue>()
      passes.push({ key, signal, yieldToWrites, end: (requeue = 'never') => resolve(requeue), fail: reject })
      return promise
    },
    objectOf: (key) => objects[key],
    caughtUp: async () => {
      if (!state.isGated) return
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      await gate.promise
    },
  })
  workers.start()
  /** The running pass that began last. */
  const pass = async (): Promise<StartedPass> => {
    await turn()
    const last = passes.pop()
    if (!last) throw new Error('no pass is running')
    return last
  }
  return { time, queue, log, passes, gates, state, workers, pass }
}
