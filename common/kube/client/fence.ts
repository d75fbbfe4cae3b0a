import type { Dispatcher } from 'undici'

/** Decides whether this process may write. Reads never ask it. */
export interface Fence {
  /** Called in the turn in which the bytes of a write leave, so a slow connect cannot carry a write past the answer. */
  held(): boolean
  /** How long a write that begins now may take at most, in milliseconds. */
  leftMs(): number
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
