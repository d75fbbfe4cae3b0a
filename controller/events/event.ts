import { GROUP } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { escapeInvisible } from '../../common/json/escape.ts'
import type { Random } from '../../common/program/clock.ts'
import { microTime } from '../runtime/micro-time.ts'

/** The most bytes of an Event's `note`, and of its `reason` and `action`: validation of events.k8s.io/v1. */
const MAX_NOTE_BYTES = 1_024
const MAX_WORD_BYTES = 128

/** The content of an Event. */
export interface EventInput {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  /** what the controller did or tried: `Reconcile` */
  readonly action: string
  readonly note: string
  readonly regarding: KubeObject
  readonly related?: KubeObject | undefined
}

/** Where and when an Event is made. */
interface EventOrigin {
  /** the name of the pod or host of this process */
  readonly instance: string
  readonly at: Date
  /** makes the names of Events about one object different, and sorts them by time */
  readonly suffix: string
}

/** The Event object for `input`, with every text cut to the length that the API server accepts. */
export const eventOf = (input: EventInput, { instance, at, suffix }: EventOrigin): KubeObject => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: {
    name: `${input.regarding.metadata.name.slice(0, 200).replace(/[.-]+$/, '')}.${suffix}`,
    namespace: input.regarding.metadata.namespace ?? 'default', // the rule of Kubernetes for cluster-scoped objects
  },
  eventTime: microTime(at),
  type: input.type,
  reason: cut(input.reason, MAX_WORD_BYTES),
  action: cut(input.action, MAX_WORD_BYTES),
  note: cut(escapeInvisible(input.note), MAX_NOTE_BYTES),
  reportingController: `${GROUP}/controller`,
  reportingInstance: cut(instance, MAX_WORD_BYTES),
  regarding: referenceTo(input.regarding),
  ...(input.related ? { related: referenceTo(input.related) } : {}),
})

const referenceTo = ({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }: KubeObject) => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
  resourceVersion,
})

/** The `series` of an Event that happened `count` times. The API server refuses a count of 1. */
export const seriesOf = (count: number, lastAt: Date) => ({ count, lastObservedTime: microTime(lastAt) })

/** The longest beginning of `text` that has at most `maxBytes` bytes of UTF-8. It does not end within a character. */
export function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1 // 10xxxxxx continues a character
  return bytes.subarray(0, end).toString()
}

/**
 * Makes the ends of the names of Events. Each is the time in nanoseconds as 16 hex digits, as in client-go, so that the
 * API server lists Events about one object in the order in which they were recorded. A clock of milliseconds does not
 * know the rest: it is random, so that another process makes other names, or one more than before.
 */
export function suffixes(random: Random): (at: Date) => string {
  let last = 0n
  return (at) => {
    const time = BigInt(at.getTime()) * 1_000_000n + BigInt(Math.floor(random() * 1_000_000))
    last = time > last ? time : last + 1n
    return last.toString(16).padStart(16, '0')
  }
}

/** An Event that was recorded once or more often. */
export interface RecordedEvent {
  readonly event: KubeObject
  /** the object that it is about: `namespace/uid` */
  readonly object: string
  /** equal for Events with the same content */
  readonly content: string
  /** how often it was recorded */
  count: number
  lastAt: Date
  /** the count that the API server has; 0 until the Event is created */
  sentCount: number
  sentMs: number
}

/** The content of an Event as a text. The version of its object does not matter. */
export const contentOf = ({ type, reason, action, note, regarding, related }: EventInput): string =>
  JSON.stringify([type, reason, action, note, regardingId(regarding), related && regardingId(related)])

/** The object that an Event is about. A name may be used by several objects after each other. */
export const regardingId = ({ kind, metadata: { uid, namespace, name } }: KubeObject): string =>
  uid ?? [kind, namespace, name].join('/')
