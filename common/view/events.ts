import type { KubeObject } from '../api/object.ts'
import { at } from '../json/json.ts'
import { countAt, textAt, textIn, timeAt } from './members.ts'
import type { Text } from './text.ts'

/** The most Events of which a view is made. */
const MAX_EVENTS = 200

/** An Event of the core API. */
export interface ViewEvent {
  /** of the object that it is about */
  readonly uid: string
  /** `pod/cart-1` */
  readonly about: string
  readonly isWarning: boolean
  readonly reason: Text
  readonly message: Text
  /** when it was last repeated, in RFC 3339 */
  readonly at: string
  readonly by?: Text
  readonly count?: number
}

/** The Events that say when they happened, newest first, at most 200. */
export const viewEvents = (events: readonly KubeObject[]): readonly ViewEvent[] =>
  events
    .flatMap((event) => viewEvent(event) ?? [])
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, MAX_EVENTS)

function viewEvent(event: KubeObject): ViewEvent | undefined {
  const happened = lastTimeOf(event)
  if (happened === undefined) return undefined
  const by = textAt(event, 'reportingComponent') ?? textAt(event, 'source', 'component')
  const count = countAt(event, 'series', 'count') ?? countAt(event, 'count')
  return {
    uid: textIn(event, 'involvedObject', 'uid'),
    about: `${textIn(event, 'involvedObject', 'kind').toLowerCase()}/${textIn(event, 'involvedObject', 'name')}`,
    isWarning: at(event, 'type') === 'Warning',
    reason: textIn(event, 'reason'),
    message: textIn(event, 'message'),
    at: happened,
    ...(by === undefined ? {} : { by }),
    ...(count === undefined ? {} : { count }),
  }
}

const lastTimeOf = (event: KubeObject): string | undefined =>
  timeAt(event, 'series', 'lastObservedTime') ??
  timeAt(event, 'lastTimestamp') ??
  timeAt(event, 'eventTime') ??
  timeAt(event, 'firstTimestamp') ??
  timeAt(event, 'metadata', 'creationTimestamp')
