import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { Yielder } from '../../../common/program/yielder.ts'

/** The work of a review, in milliseconds. */
interface Story {
  readonly workedMs: number
  /** before that, waiting for the API server */
  readonly waitedMs?: number
  /** before that, waiting for something that is known already */
  readonly knownMs?: number
}

/** Whether other work runs before the review goes on. */
async function isInterrupted({ workedMs, waitedMs, knownMs }: Story): Promise<boolean> {
  let nowMs = 0
  const yielder = new Yielder({ now: () => nowMs })
  if (waitedMs !== undefined) await nextTurn()
  nowMs += (waitedMs ?? 0) + (knownMs ?? 0)
  await Promise.resolve()
  yielder.resume()
  nowMs += workedMs
  const order: string[] = []
  const other = nextTurn().then(() => order.push('other'))
  await yielder.yieldIfLong().then(() => order.push('review'))
  await other
  return order[0] === 'other'
}

describe('the turn of a review on the event loop', () => {
  it('ends after five milliseconds of work', async () => {
    expect(await isInterrupted({ workedMs: 5 })).to.equal(true)
    expect(await isInterrupted({ workedMs: 4.9 })).to.equal(false)
  })

  it('does not count the time that it waited for the API server', async () => {
    expect(await isInterrupted({ workedMs: 1, waitedMs: 500 })).to.equal(false)
    expect(await isInterrupted({ workedMs: 6, waitedMs: 500 })).to.equal(true)
  })

  it('goes on counting where no other work ran meanwhile', async () => {
    expect(await isInterrupted({ workedMs: 3, knownMs: 2.5 })).to.equal(true)
  })
})
