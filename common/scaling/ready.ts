/** The pods of a source now and later: its `spec.replicas`. */
interface Resized {
  readonly now: number
  readonly later: number
}

/**
 * How many ready endpoints a Service of a source keeps, of `ready` that it has beside the fork, when the source has got
 * another size. A source is settled then, so it has at least as many ready pods as its size, if there are so many now.
 */
export const readyLater = (ready: number, { now, later }: Resized): number =>
  Math.max(ready - (now - later), Math.min(ready, later))
