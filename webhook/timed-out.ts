/**
 * Thrown by `validate` when something that a verdict cannot do without, rights or policies, could not be read in time.
 * Nobody is let in unchecked; the requester is told to try again.
 */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}
