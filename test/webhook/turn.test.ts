import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { Turn } from '../../webhook/turn.ts'

/** What a review does, by the clock. */
interface Story {
  readonly workedMs: number
  /** before that, for the API server */
  readonly waitedMs?: number
  /** before that, for something that is known already */
  readonly knownMs?: number
}

/** Whether others have their turn before the review goes on. */
async function isInterrupted({ workedMs, waitedMs, knownMs }: Story): Promise<boolean> {
  let nowMs = 0
  const turn = new Turn({ now: () => nowMs })
  if (waitedMs !== undefined) await nextTurn()
  nowMs += (waitedMs ?? 0) + (knownMs ?? 0)
  await Promise.resolve()
  turn.resume()
  nowMs += workedMs
  const order: string[] = []
  const other = nextTurn().then(() => order.push('other'))
  await turn.giveWay().then(() => order.push('review'))
  await other
  return order[0] === 'other'
}

describe('the turn of a review', () => {
  it('ends when it was long', async () => {
    expect(await isInterrupted({ workedMs: 2 })).to.equal(true)
    expect(await isInterrupted({ workedMs: 1.9 })).to.equal(false)
  })

  it('does not count what it waited for others', async () => {
    expect(await isInterrupted({ workedMs: 1, waitedMs: 500 })).to.equal(false)
    expect(await isInterrupted({ workedMs: 3, waitedMs: 500 })).to.equal(true)
  })

  it('counts on where nobody had a turn meanwhile', async () => {
    expect(await isInterrupted({ workedMs: 1, knownMs: 1.5 })).to.equal(true)
  })
})
