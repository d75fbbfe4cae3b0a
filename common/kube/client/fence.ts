import type { Dispatcher } from 'undici'
import type { Cancel, Timers } from '../../program/clock.ts'
import { type Deadline, DeadlineExceeded } from '../../program/deadline.ts'
import { checkedAtStart } from './start-check.ts'

/** Decides whether this process may write. Reads never ask it. */
export interface Fence {
  /** Called in the turn in which the bytes of a write leave, so a slow connect cannot carry a write past the answer. */
  held(): boolean
  /** How long a write may go on from now, in milliseconds, if nothing gives it more time: a renewal does. */
  leftMs(): number
}

/**
 * Aborts a write when `fence` gives it no more time, and not before: a slow write goes on while the process leads.
 * Returns a function that the caller must call when the write has ended.
 */
export function abortUnlessHeld(write: Pick<Deadline, 'abort'>, fence: Fence, timers: Pick<Timers, 'after'>): Cancel {
  let cancel: Cancel
  const look = () => {
    if (fence.leftMs() > 0) lookLater()
    else write.abort(new DeadlineExceeded('not answered before another process may lead'))
  }
  const lookLater = () => {
    cancel = timers.after(Math.max(0, fence.leftMs()), look)
  }
  lookLater()
  return () => cancel()
}

/** The reason for which a write was not sent. */
export class NotHeld extends Error {
  override readonly name = 'NotHeld'

  constructor() {
    super('not sent: this process does not lead')
  }
}

/** `dispatcher`, for writes: one for which `fence` does not hold when it would leave fails with `NotHeld`. */
export const fenced = (dispatcher: Dispatcher, fence: Fence): Dispatcher =>
  checkedAtStart(dispatcher, () => {
    if (!fence.held()) throw new NotHeld()
  })
