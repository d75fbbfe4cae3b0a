import { expect } from 'chai'
import { measuringPasses } from '../../controller/pass-metrics.ts'
import type { Requeue } from '../../controller/runtime/worker.ts'
import { SHORT_TURNS, VirtualTime } from '../virtual-time.ts'

describe('measured passes', () => {
  it('have the kind, the outcome and the seconds of each pass', async () => {
    const time = new VirtualTime()
    const passes: unknown[] = []
    const outcomes: Readonly<Record<string, () => Requeue>> = {
      'shop/done': () => ({ afterMs: 5 }),
      'shop/failed': () => 'backoff',
      'shop/gone': () => 'never',
      'shop/error': () => {
        throw new TypeError('a bug')
      },
    }
    const reconcile = measuringPasses({ passed: (...pass) => void passes.push(pass) }, time)(
      async (key) => {
        await time.pass(2_000)
        return outcomes[key]?.() ?? 'never'
      },
      (key) => (key === 'shop/gone' ? undefined : 'Rollout'),
    )
    const { signal } = new AbortController()
    const pass = { number: 1, signal, yielder: SHORT_TURNS, yieldToWrites: async () => undefined }
    for (const key of Object.keys(outcomes)) await reconcile(key, pass).catch(() => undefined)
    expect(passes).to.deep.equal([
      ['Rollout', 'done', 2],
      ['Rollout', 'failed', 2],
      ['None', 'done', 2],
      ['Rollout', 'error', 2],
    ])
  })
})
