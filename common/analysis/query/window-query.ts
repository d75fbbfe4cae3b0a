import type { Metric } from '../../api/analysis/metric.ts'
import type { Arm, WindowData } from '../window-data.ts'

/** A span of time. Both are milliseconds since 1970. */
export interface TimeWindow {
  readonly start: number
  readonly end: number
}

/** The pods of an arm that count in a window. */
export interface PodsOfArm {
  /** the name of the workload whose pods they are */
  readonly workload: string
  /** their names, at least one, in order */
  readonly pods: readonly string[]
}

/** What is asked of a provider for one window of one metric. */
export interface WindowQuery {
  /** resolved, with all defaults */
  readonly metric: Metric
  readonly window: TimeWindow
  readonly namespace: string
  readonly arms: Readonly<Record<Arm, PodsOfArm>>
  /** the boundaries of earlier windows in seconds, which stay for the whole analysis run; absent: there are none yet */
  readonly boundaries?: readonly number[]
  /** for a plugin */
  readonly run: { readonly name: string; readonly uid: string }
}

/** What is sent to a provider. Its address, its credential and its headers are not in it. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST'
  /** behind the path of the address: begins with a slash, percent-encoded, without a query */
  readonly path: string
  /** the query of the URL; not encoded yet */
  readonly params?: Readonly<Record<string, string>>
  /** sent as it is, with its media type */
  readonly body?: { readonly type: 'application/json' | 'application/x-www-form-urlencoded'; readonly text: string }
}

/**
 * An answer without data that can be used. `message`: such as `503`, or `422 bad_data`. It never has a part of a body
 * but one of Prometheus' words for an error, and the warning that makes an answer partial. `retryAfterMs`: the
 * provider asks for it.
 */
export interface Failed {
  readonly is: 'failed'
  readonly message: string
  readonly retryAfterMs?: number
  /** the pods have no data of the start of the window that are of use, so a longer one would be of no use either */
  readonly lacksStart?: true
}

/** A failure with nothing but a message. */
export const failed = (message: string): Failed => ({ is: 'failed', message })

/** A list in an answer that may be long. Its items are taken while they arrive, and none of them is in the JSON. */
export interface LongList {
  /** where it is in the answer */
  readonly path: readonly string[]
  /** of each item */
  readonly maxBytes: number
  /** what to do if the answer is too long */
  readonly remedy?: string
  /** Takes an item, of which nothing has been checked; undefined: it is too long. Returns whether more are wanted. */
  readonly take: (item: unknown) => boolean
}

/** What a provider answered. `json` is what it says it is; nothing of it has been checked. */
export type ProviderReply = { readonly is: 'json'; readonly json: unknown } | Failed

/** What one window gave. */
export type WindowAnswer =
  | { readonly is: 'data'; readonly data: WindowData }
  /** the provider knows nothing of these arms, so there is no data to compare */
  | { readonly is: 'silent'; readonly arms: readonly Arm[] }
  | Failed
