import type { Dispatcher } from 'undici'

/**
 * `dispatcher`, but `check` is called when a connection is free for a request. If it throws, the request is not sent
 * and fails with that error, and the connection stays for others. Nothing can delay the request between this check and
 * its first byte.
 */
export const checkedAtStart = (dispatcher: Dispatcher, check: () => void): Dispatcher =>
  dispatcher.compose(
    (dispatch) => (options, handler) =>
      dispatch(options, {
        onRequestStart(controller, context) {
          check()
          handler.onRequestStart?.(controller, context)
        },
        onRequestUpgrade: (...of) => handler.onRequestUpgrade?.(...of),
        onResponseStart: (...of) => handler.onResponseStart?.(...of),
        onResponseData: (...of) => handler.onResponseData?.(...of),
        onResponseEnd: (...of) => handler.onResponseEnd?.(...of),
        onResponseError: (...of) => handler.onResponseError?.(...of),
      }),
  )
