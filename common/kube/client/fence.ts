import type { Dispatcher } from 'undici'
import type { Cancel, Timers } from '../../program/clock.ts'
import { type Deadline, DeadlineExceeded } from '../../program/deadline.ts'

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

/**
 * `dispatcher`, for writes: a request for which `fence` does not hold when a connection is free for it is not sent, and
 * fails with `NotHeld`. Nothing can delay the request between this check and its first byte.
 */
export const fenced = (dispatcher: Dispatcher, fence: Fence): Dispatcher =>
  dispatcher.compose(
    (dispatch) => (options, handler) =>
      dispatch(options, {
        onRequestStart(controller, context) {
          if (!fence.held()) throw new NotHeld()
          handler.onRequestStart?.(controller, context)
        },
        onRequestUpgrade: (...of) => handler.onRequestUpgrade?.(...of),
        onResponseStart: (...of) => handler.onResponseStart?.(...of),
        onResponseData: (...of) => handler.onResponseData?.(...of),
        onResponseEnd: (...of) => handler.onResponseEnd?.(...of),
        onResponseError: (...of) => handler.onResponseError?.(...of),
      }),
  )
