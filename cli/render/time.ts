import { duration } from '../../common/text/duration.ts'
import { type Text, text } from '../../common/view/text.ts'

/** `41m`: whole seconds from `from` to `to`, in at most two units; `0s` if it is over. */
export const between = (from: Date, to: Date): Text =>
  text(duration(Math.max(0, Math.round((to.getTime() - from.getTime()) / 1_000))))

/** How long ago the RFC 3339 time `at` was: `25m`. `-` where nobody knows. */
export const ageOf = (at: string | undefined, now: Date): Text =>
  at === undefined || Number.isNaN(Date.parse(at)) ? text('-') : between(new Date(at), now)

/** How long it is until the RFC 3339 time `at`: `41m`. */
export const leftUntil = (at: string, now: Date): Text => between(now, new Date(at))

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** `message` with how much is left behind each time that is still to come: `2026-11-28T15:05:00Z (41m left)`. */
export const withTimeLeft = (message: Text, now: Date): Text =>
  text(message.replaceAll(TIME, (at) => (Date.parse(at) > now.getTime() ? `${at} (${leftUntil(at, now)} left)` : at)))
